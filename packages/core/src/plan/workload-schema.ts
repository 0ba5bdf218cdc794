/** `plan.workload`: what is asked of the server. Lengths, arrivals, prompts, and what counts as a failed task. */
import { Type } from 'typebox'
import { filled, nullable, written } from './schema-builder.ts'

export const PROFILE_NAMES = ['interactive', 'api', 'agentic', 'batch'] as const
export const ARRIVAL_PROCESSES = ['constant', 'poisson', 'gamma', 'ramp', 'trace'] as const

const TOKENS_MAX = 1_000_000
const TRACE_ARRIVALS_MAX = 20_000

const tokenBound = (description: string) =>
  nullable(Type.Integer({ minimum: 1, maximum: TOKENS_MAX, description: `${description}, tokens` }))

const lengthFields = {
  mean: Type.Number({ minimum: 1, maximum: TOKENS_MAX, description: 'Mean length, tokens', examples: [512] }),
  stdev: Type.Number({
    minimum: 0,
    maximum: TOKENS_MAX,
    default: 0,
    description: 'Standard deviation, tokens. 0: all the same, and streams may then march in lockstep',
  }),
  distribution: Type.Enum(['normal', 'lognormal'], {
    default: 'normal',
    description: 'normal: truncated at the bounds; lognormal: heavy tail with this mean and deviation',
  }),
  min: tokenBound('Shortest length'),
  max: tokenBound('Longest length'),
}

export const LengthInputSchema = (description: string) => written(lengthFields, ['mean'], { description })
export const LengthSchema = (description: string) => filled(lengthFields, description)

const fileName = (description: string, example: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$',
    maxLength: 300,
    description: `${description}. A path inside the data folder of the load processes`,
    examples: [example],
  })

const traceArrival = filled(
  {
    atS: Type.Number({ minimum: 0, maximum: 604_800, description: 'Instant from the start, s' }),
    inputTokens: tokenBound('Prompt length'),
    outputTokens: tokenBound('Answer length'),
  },
  'One arrival of a trace',
)

const traceFields = {
  file: nullable(fileName('CSV with the columns at_s, input_tokens, output_tokens', 'traces/monday.csv')),
  arrivals: nullable(
    Type.Array(traceArrival, {
      minItems: 2,
      maxItems: TRACE_ARRIVALS_MAX,
      description: 'The arrivals themselves, in order of time',
    }),
  ),
}
const traceDescription =
  'Recorded arrivals, replayed at the step’s rate (time is stretched); file or arrivals'

const arrivalFields = <Trace extends ReturnType<typeof traceWritten> | ReturnType<typeof traceFilled>>(
  trace: Trace,
) => ({
  process: Type.Enum(ARRIVAL_PROCESSES, {
    default: 'poisson',
    description:
      'How requests arrive in open-loop steps: constant gaps, poisson, gamma (cv), ramp, or a trace',
  }),
  cv: Type.Number({
    minimum: 0.01,
    maximum: 20,
    default: 1,
    description:
      'Coefficient of variation of the gaps, for gamma: 1 is Poisson, more is bursty, less is regular',
  }),
  rampFromFraction: Type.Number({
    minimum: 0,
    maximum: 10,
    default: 0.5,
    description: 'ramp: rate at the start of the step, as a fraction of the level’s rate',
  }),
  rampToFraction: Type.Number({
    minimum: 0,
    maximum: 10,
    default: 1.5,
    description: 'ramp: rate at the end of the step, as a fraction of the level’s rate',
  }),
  trace: nullable(trace),
})
const traceWritten = () => written(traceFields, [], { description: traceDescription })
const traceFilled = () => filled(traceFields, traceDescription)

const datasetFields = {
  file: fileName('JSON lines, one conversation a line', 'sharegpt.jsonl'),
  format: Type.Enum(['messages', 'sharegpt'], {
    default: 'messages',
    description: 'messages: OpenAI messages; sharegpt: a list of {from, value}',
  }),
  order: Type.Enum(['shuffled', 'sequential'], { default: 'shuffled', description: 'Order of the prompts' }),
}
const datasetDescription = 'Prompts from a file instead of generated ones; its lengths replace inputTokens'

const ownFields = {
  profile: Type.Enum(PROFILE_NAMES, {
    default: 'interactive',
    description: 'Preset of lengths, SLO and objective; whatever the plan states itself wins',
  }),
  sharedPrefixTokens: Type.Integer({
    minimum: 0,
    maximum: TOKENS_MAX,
    default: 0,
    description:
      'Tokens at the start of all prompts that are the same. 0: a nonce at token 0 defeats prefix caches',
  }),
  ignoreEos: Type.Boolean({
    description:
      'Ask the server to go on to the asked length (ignore_eos, min_tokens). Left out: true, or false with expectJson',
    examples: [true],
  }),
  expectJson: Type.Boolean({
    default: false,
    description: 'Answers should be JSON: time to valid JSON is measured',
  }),
  failOn: Type.Array(Type.Enum(['length_cut', 'content_filter', 'invalid_json']), {
    uniqueItems: true,
    description:
      'Task failures that count as failed requests, though the transport succeeded. Left out: invalid_json with expectJson, else none',
    examples: [['length_cut']],
  }),
  thinkTimeS: Type.Number({
    minimum: 0,
    maximum: 3_600,
    default: 0,
    description: 'Closed loop: pause between an answer and the next request of a slot, s',
  }),
}

export const WorkloadInputSchema = written(
  {
    ...ownFields,
    inputTokens: LengthInputSchema('Prompt length; left out: the profile’s'),
    outputTokens: LengthInputSchema('Answer length; left out: the profile’s'),
    dataset: nullable(written(datasetFields, ['file'], { description: datasetDescription })),
    arrival: written(arrivalFields(traceWritten()), [], {
      default: {},
      description: 'Arrivals in open loop',
    }),
  },
  [],
  { default: {}, description: 'What is asked of the server' },
)

export const WorkloadSchema = filled(
  {
    ...ownFields,
    inputTokens: LengthSchema('Prompt length'),
    outputTokens: LengthSchema('Answer length'),
    dataset: nullable(filled(datasetFields, datasetDescription)),
    arrival: filled(arrivalFields(traceFilled()), 'Arrivals in open loop'),
  },
  'What is asked of the server',
)
