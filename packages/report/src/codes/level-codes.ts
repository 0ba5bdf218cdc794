import type { CodeText } from '../codes.ts'

/** Why a level was left out of the fit. */
export const LEVEL_CODES: Readonly<Record<string, CodeText>> = {
  'concurrency-not-reached': {
    meaning: 'The server never held as many requests as the level is named after (Little’s law).',
    next: 'Send many more requests than the concurrency, from enough clients, and measure the level again.',
  },
  'nominal-not-trusted': {
    meaning:
      'A few per cent fewer requests were in flight than the level is named after; the measured figure is used.',
    next: 'Check the client’s connection limit if the difference grows with the level.',
  },
  'littles-law-violated': {
    meaning: 'Throughput, latency and concurrency contradict one another, so at least one of them is wrong.',
    next: 'Check that all three come from the same window and count the same requests and tokens.',
  },
  'too-few-samples': {
    meaning: 'Too few requests stand behind the figures to trust them.',
    next: 'Measure longer: at least 30 requests and three for each client, 60 in open loop.',
  },
  'held-out': {
    meaning:
      'This level was kept from the fit on purpose: what the fit foretells of it stands beside what was measured.',
    next: 'Nothing to do. A prediction that is far off says that the curve has another shape between the levels.',
  },
  'error-rate': {
    meaning: 'More than 1 % of the requests failed, and failed requests flatter the others.',
    next: 'Find out why they fail (the run shows the outcomes), then measure the level again.',
  },
  'output-length-differs': {
    meaning: 'The answers were not as long as asked for, so this is another workload.',
    next: 'Let the server ignore end-of-sequence, or state the output length that was really reached.',
  },
  'cache-hit-rate-differs': {
    meaning: 'The prefix cache helped this level more or less than the others.',
    next: 'Begin every prompt differently, or empty the cache between steps.',
  },
  'foreign-traffic': {
    meaning: 'The server was also working for somebody else.',
    next: 'Measure on a server of your own, or at a time when nobody uses it.',
  },
  'no-steady-state': {
    meaning:
      'The figures still drifted when the measurement ended: the load was more than the server can carry.',
    next: 'Measure longer, or at a lower rate.',
  },
  'more-levels-than-needed': {
    meaning: 'The table has more different loads than a curve needs, so some stand for all.',
    next: 'Read on: nothing is wrong with them.',
  },
  'tpot-missing': {
    meaning: 'The level has no time per output token.',
    next: 'Bring a TPOT (or mean ITL) for every level.',
  },
  'decode-batch-unknown': {
    meaning: 'The requests in decode cannot be computed: TTFT, throughput or output length is missing.',
    next: 'Bring TTFT for every level, and the output length as a column or with --output-tokens.',
  },
}
