import type { CodeText } from '../codes.ts'

/** Why there is no answer, or not the whole one. */
export const REFUSAL_CODES: Readonly<Record<string, CodeText>> = {
  'too-few-levels': {
    meaning: 'Fewer than four usable levels are left, and a curve through three points proves nothing.',
    next: 'Measure more levels, from one request at a time up to beyond the load that you need.',
  },
  'too-many-levels': {
    meaning: 'There are more than 100 distinct levels, so these look like single requests.',
    next: 'Bring one row for each concurrency or rate that was held.',
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
  'batch-between-levels': {
    meaning:
      'The levels around the batch are so far apart that a server which pads its batch to captured sizes (CUDA graphs) would break the promise where another keeps it.',
    next: 'Measure the level that is named with it, or say which sizes the server has captured (--capture-sizes, target.captureSizes).',
  },
  'rate-between-levels': {
    meaning:
      'The rate hangs on step times between levels that are far apart: a server that pads its batch to captured sizes (CUDA graphs) takes clearly less.',
    next: 'Measure the level that is named with it, or say which sizes the server has captured (--capture-sizes, target.captureSizes).',
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
