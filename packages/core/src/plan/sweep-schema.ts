/** `plan.sweep`: which levels are measured, in which order, and how long each step lasts. */
import { Type } from 'typebox'
import { filled, nullable, written } from './schema-builder.ts'

const LEVELS_MAX = 100
const CONCURRENCY_MAX = 10_000

const durationS = (description: string, defaultS: number) =>
  Type.Number({ minimum: 0, maximum: 86_400, default: defaultS, description: `${description}, s` })

const stepFields = {
  residences: Type.Number({
    minimum: 1,
    maximum: 1_000,
    default: 5,
    description: 'Shortest window, as a multiple of the mean residence time of a request',
  }),
  warmupResidences: Type.Number({
    minimum: 0,
    maximum: 100,
    default: 1.5,
    description: 'Warm-up before the window, as a multiple of the residence time',
  }),
  minDurationS: durationS('Shortest window', 10),
  maxDurationS: durationS('Longest window, extensions included', 300),
  maxWarmupS: durationS('Longest warm-up', 60),
  drainLimitS: durationS('Longest wait, after the window, for the last measured request', 60),
  minRequests: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 60,
    description: 'Requests that a window must hold',
  }),
  precisionFraction: Type.Number({
    minimum: 0.001,
    maximum: 1,
    default: 0.03,
    description: 'A step is extended until throughput and mean TPOT are known to this relative half-width',
  }),
  extend: Type.Boolean({
    default: true,
    description: 'Extend steps until they are precise and the SLO verdicts are decided, up to maxDurationS',
  }),
  inFlightMax: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 4_096,
    description: 'Open loop: arrivals beyond this many requests in flight are dropped, and counted',
  }),
}

const batchFields = {
  control: Type.Enum(['none', 'server', 'request'], {
    default: 'none',
    description:
      'Who sets the batch: none; server (its limit is set through controlUrl); request (prompts per request on completions)',
  }),
  levels: Type.Array(Type.Integer({ minimum: 1, maximum: CONCURRENCY_MAX }), {
    maxItems: LEVELS_MAX,
    uniqueItems: true,
    default: [],
    description: 'Batch sizes to step through; each is crossed with every concurrency and rate',
    examples: [[8, 16, 32]],
  }),
  controlUrl: nullable(
    Type.String({ minLength: 1, maxLength: 2048, description: 'server: URL that takes the new limit' }),
  ),
  controlMethod: Type.Enum(['POST', 'PUT', 'PATCH'], { default: 'POST', description: 'server: HTTP method' }),
  controlBody: Type.Unknown({
    default: { max_num_seqs: '{batch}' },
    description:
      'server: JSON body; {batch} inside a string is replaced by the level, "{batch}" alone by the number',
  }),
  readyUrl: nullable(
    Type.String({ minLength: 1, maxLength: 2048, description: 'server: URL polled until it answers 200' }),
  ),
  readyTimeoutS: durationS('server: longest wait for readyUrl', 600),
}

const adaptiveFields = {
  start: Type.Integer({ minimum: 1, maximum: CONCURRENCY_MAX, default: 1, description: 'First concurrency' }),
  concurrencyMax: Type.Integer({
    minimum: 1,
    maximum: CONCURRENCY_MAX,
    default: 1_024,
    description: 'Largest concurrency that is tried',
  }),
  gainFraction: Type.Number({
    minimum: 0.001,
    maximum: 1,
    default: 0.05,
    description: 'Doubling ends when it gains less throughput than this fraction, or an SLO is missed',
  }),
  refineLevels: Type.Integer({
    minimum: 0,
    maximum: 20,
    default: 3,
    description: 'Levels measured between the last good and the first bad one',
  }),
}

const ownFields = {
  mode: Type.Enum(['grid', 'adaptive'], {
    default: 'grid',
    description: 'grid: the listed levels; adaptive: double until it no longer pays, then refine',
  }),
  concurrency: Type.Array(Type.Integer({ minimum: 1, maximum: CONCURRENCY_MAX }), {
    maxItems: LEVELS_MAX,
    uniqueItems: true,
    description:
      'Closed-loop levels: requests kept in flight. Left out: 1 to 128 by doubling, or none when ratesPerS or adaptive is given',
    examples: [[1, 2, 4, 8, 16, 32, 64, 128]],
  }),
  ratesPerS: Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 }), {
    maxItems: LEVELS_MAX,
    uniqueItems: true,
    default: [],
    description: 'Open-loop levels: arrivals per second',
    examples: [[1, 2, 4]],
  }),
  order: Type.Enum(['shuffled', 'ascending'], {
    default: 'shuffled',
    description: 'Order of the steps; shuffled (by the seed) keeps a drift of the server out of the curve',
  }),
  repeatAnchor: Type.Boolean({
    default: true,
    description: 'Measure the first step again at the end: a difference is drift',
  }),
  holdOut: Type.Boolean({
    default: true,
    description: 'Keep one level out of the fit and print how well the fit predicts it',
  }),
  furtherLevels: Type.Integer({
    minimum: 0,
    maximum: 10,
    default: 3,
    description:
      'Closed-loop levels that may be measured beyond these, where the answer finds the sweep too coarse to tell what a batch costs',
  }),
  verify: Type.Boolean({
    default: true,
    description: 'Measure the recommended operating point in open loop at the end: predicted beside measured',
  }),
}

export const SweepInputSchema = written(
  {
    ...ownFields,
    batch: written(batchFields, [], { default: {}, description: 'The batch dial' }),
    step: written(stepFields, [], { default: {}, description: 'Length of a step' }),
    adaptive: written(adaptiveFields, [], { default: {}, description: 'Bounds of the adaptive search' }),
  },
  [],
  { default: {}, description: 'The levels' },
)

export const SweepSchema = filled(
  {
    ...ownFields,
    batch: filled(batchFields, 'The batch dial'),
    step: filled(stepFields, 'Length of a step'),
    adaptive: filled(adaptiveFields, 'Bounds of the adaptive search'),
  },
  'The levels',
)
