/**
 * What the stable codes mean to a person, and what to do about each: the one table that every report reads. A code
 * that core can emit and that is missing here fails a test.
 */

export interface CodeText {
  /** One sentence. */
  readonly meaning: string
  /** One sentence that starts with a verb. */
  readonly next: string
}

/** Why a level was left out of the fit. */
const LEVEL_CODES: Readonly<Record<string, CodeText>> = {
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
  'tpot-missing': {
    meaning: 'The level has no time per output token.',
    next: 'Bring a TPOT (or mean ITL) for every level.',
  },
  'decode-batch-unknown': {
    meaning: 'The requests in decode cannot be computed: TTFT, throughput or output length is missing.',
    next: 'Bring TTFT for every level, and the output length as a column or with --output-tokens.',
  },
}

/** Why the load generator was not to be trusted. */
const GENERATOR_CODES: Readonly<Record<string, CodeText>> = {
  'generator-unhealthy': {
    meaning: 'The load generator was too slow itself, so its figures are partly its own.',
    next: 'Give it more cores or more load processes, and keep other work off its machine.',
  },
  'receive-lag': {
    meaning: 'Answers waited in the load process before they were stamped.',
    next: 'Spread the load over more load processes.',
  },
  'event-loop-delay': {
    meaning: 'The load process was blocked for longer than a measurement may err.',
    next: 'Spread the load over more load processes, and keep other work off the machine.',
  },
  'dispatch-skew': {
    meaning: 'Requests left later than the schedule said.',
    next: 'Spread the load over more load processes, or lower the rate.',
  },
  'calibration-lag': {
    meaning: 'Against a known answer on its own machine the generator measured too much.',
    next: 'Keep other work off the machine and start the run again.',
  },
  'cpu-saturated': {
    meaning: 'The load process used its processor nearly all the time.',
    next: 'Spread the load over more load processes or machines.',
  },
  'arrivals-dropped': {
    meaning: 'More requests were due than may be in flight, and the rest was dropped.',
    next: 'Lower the rate, or raise the limit if the target can take more.',
  },
  'parse-queue-full': {
    meaning: 'Answers came faster than they could be parsed.',
    next: 'Spread the load over more load processes.',
  },
  'readings-missing': {
    meaning: 'The load process reported nothing about its own health.',
    next: 'Start the run again; if it happens twice, look at the worker’s log.',
  },
}

/** Why there is no answer, or not the whole one. */
const REFUSAL_CODES: Readonly<Record<string, CodeText>> = {
  'too-few-levels': {
    meaning: 'Fewer than four usable levels are left, and a curve through three points proves nothing.',
    next: 'Measure more levels, from one request at a time up to beyond the load that you need.',
  },
  'dirty-sweep': {
    meaning: 'The time per token goes up and down along the sweep: no curve describes it.',
    next: 'Measure again, with nothing else on the server and enough requests for each level.',
  },
  'beyond-measured-range': {
    meaning: 'The answer lies beyond what was measured.',
    next: 'Measure the levels (or lengths) that are missing; nothing is extrapolated.',
  },
  'beyond-capacity': {
    meaning: 'More requests arrive than one replica can ever finish, so its queue would grow for ever.',
    next: 'Ask for a lower rate, or spread it over more replicas.',
  },
  'slo-below-zero-load': {
    meaning:
      'The limit is below the latency of a single request on an idle server: no size of fleet can keep it.',
    next: 'Choose a faster server, a smaller model, shorter prompts, or another limit.',
  },
  'slo-undecided': {
    meaning: 'Within its uncertainty the fit cannot say whether even the smallest batch keeps the promise.',
    next: 'Measure the lowest levels again with more requests, or give the promise some room.',
  },
  'percentile-not-in-table': {
    meaning: 'The promise is about a percentile that the measurements do not contain.',
    next: 'Bring a column for it (tpot_p95_ms, ...), or ask about the mean, for example --slo "tpot:mean<40".',
  },
  'output-length-unknown': {
    meaning:
      'Nobody said how many tokens the answers had, and without that requests and tokens cannot be related.',
    next: 'Give --output-tokens, or add an output_tokens column.',
  },
  'input-length-unknown': {
    meaning: 'Nobody said how long the prompts were, so their memory cannot be computed.',
    next: 'Give --input-tokens, or add an input_tokens column.',
  },
  'weights-do-not-fit': {
    meaning: 'The model’s weights do not fit into the memory of these GPUs.',
    next: 'Use more GPUs for each replica, larger ones, or a smaller precision.',
  },
}

/** What holds, but with a grain of salt. */
const CAVEAT_CODES: Readonly<Record<string, CodeText>> = {
  'prefill-from-ttft': {
    meaning:
      'The cost of a prompt is taken from TTFT at the lowest level, not from prompts of several lengths.',
    next: 'Run a plan, which probes three prompt lengths, before you change the prompt length or trust TTFT under load.',
  },
  'throughput-from-littles-law': {
    meaning:
      'The table has no throughput, so it was derived from concurrency and latency and cannot check them.',
    next: 'Bring req_s or output_tok_s, so that Little’s law becomes a test of the table.',
  },
  'typical-is-p50': {
    meaning: 'The table has medians and no means, and medians do not obey Little’s law exactly.',
    next: 'Bring the means too (ttft_mean_ms, tpot_mean_ms).',
  },
  'no-law-fits': {
    meaning: 'No step-time law describes these levels within 10 %.',
    next: 'Measure levels in between; until then only the measured levels are to be believed.',
  },
  'joint-fit-not-converged': {
    meaning: 'The joint fit of throughput, TTFT and TPOT did not settle, so they were fitted one by one.',
    next: 'Look for a level that does not fit in with the others.',
  },
  'law-misses-levels': {
    meaning: 'Played back, the fitted law does not reproduce the measured levels.',
    next: 'Verify the answer with a run at the recommended load.',
  },
  'estimate-differs': {
    meaning: 'Queueing formulas and the simulation do not agree; the simulation is the answer.',
    next: 'Verify the answer with a run at the recommended load.',
  },
  'spread-not-in-table': {
    meaning: 'Without p95 columns the spread between requests is the simulation’s alone.',
    next: 'Bring ttft_p95_ms and tpot_p95_ms columns.',
  },
  'saturation-not-seen': {
    meaning: 'The sweep ends before the server is full, so its number of places is unknown.',
    next: 'Measure two levels beyond the point where throughput stops growing.',
  },
  'below-weight-floor': {
    meaning: 'The fitted step time is shorter than reading the weights takes, so something given is wrong.',
    next: 'Check --gpu, --gpus-per-replica and --model, and whether the server decodes speculatively.',
  },
  'retrograde-throughput': {
    meaning: 'Throughput falls again beyond its peak, as it does when KV memory runs out.',
    next: 'Keep below the peak, and look at the server’s preemption count.',
  },
  'gpu-not-in-catalogue': {
    meaning: 'The GPU is not in the catalogue, so no memory was computed.',
    next: 'Name one of the catalogue with --gpu.',
  },
  'model-not-in-catalogue': {
    meaning: 'The model is not in the catalogue, so no memory was computed.',
    next: 'Name one of the catalogue with --model.',
  },
  'model-weights-unknown': {
    meaning: 'No measured size of this model’s weights is known, so no memory limit was computed.',
    next: 'Check the server’s own log for the KV-cache size it found.',
  },
}

/** Why a sweep ended. */
const STOP_CODES: Readonly<Record<string, CodeText>> = {
  'sweep-complete': {
    meaning: 'Every level of the plan was measured.',
    next: 'Read the recommendation.',
  },
  'steps-max': {
    meaning: 'The sweep reached the largest number of steps that a run may have.',
    next: 'Narrow the range of levels, or split the plan.',
  },
  'budget-requests': {
    meaning: 'The plan’s budget of requests is used up.',
    next: 'Raise limits.maxRequests, or measure fewer levels.',
  },
  'budget-output-tokens': {
    meaning: 'The plan’s budget of output tokens is used up.',
    next: 'Raise limits.maxOutputTokens, or measure fewer levels.',
  },
  'budget-duration': {
    meaning: 'The plan’s budget of time is used up.',
    next: 'Raise limits.maxDurationS, or measure fewer levels.',
  },
}

const CODES: Readonly<Record<string, CodeText>> = {
  ...LEVEL_CODES,
  ...GENERATOR_CODES,
  ...REFUSAL_CODES,
  ...CAVEAT_CODES,
  ...STOP_CODES,
}

const unknownCode = (code: string): CodeText => ({
  meaning: `Code ${code}.`,
  next: 'Look it up in docs/MODEL.md.',
})

/** `estimate-differs: the estimate is 31 % above ...`: a code, and the figures of this very case. */
export interface CodeRemark {
  readonly code: string
  readonly detail: string | null
}

export function readRemark(remark: string): CodeRemark {
  const at = remark.indexOf(': ')
  if (at < 0) return { code: remark, detail: null }
  return { code: remark.slice(0, at), detail: remark.slice(at + 2) }
}

/** Sentence and next step of a code. */
export function codeText(code: string): CodeText {
  return Object.hasOwn(CODES, code) ? (CODES[code] ?? unknownCode(code)) : unknownCode(code)
}

/** Every code that has a text. */
export const KNOWN_CODES: readonly string[] = Object.keys(CODES)
