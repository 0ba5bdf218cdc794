/** `plan.target`: the inference server, how to reach it, and what it tells about itself. */
import { Type } from 'typebox'
import { CAPTURE_SIZE_MAX, CAPTURE_SIZES_MAX } from '../fit/capture-sizes.ts'
import { filled, nullable, written } from './schema-builder.ts'

export const METRICS_ENGINES = ['auto', 'vllm', 'sglang', 'tgi', 'llamacpp', 'custom'] as const

const url = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 2048, description, examples: [example] })

const durationMs = (description: string, defaultMs: number) =>
  Type.Number({ minimum: 1, maximum: 3_600_000, default: defaultMs, description: `${description}, ms` })

const deadlineFields = {
  connectMs: durationMs('Longest wait for a connection', 10_000),
  firstByteMs: durationMs('Longest wait from sending to the first byte of the answer', 120_000),
  betweenEventsMs: durationMs('Longest silence between two events of a stream', 60_000),
  totalMs: durationMs('Longest life of a request', 600_000),
}

const seriesName = (what: string) =>
  nullable(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: `Prometheus series that holds ${what}, with label matchers where needed`,
    }),
  )

const seriesFields = {
  running: seriesName('the requests that are being decoded or prefilled'),
  waiting: seriesName('the requests that wait for a slot'),
  kvUsage: seriesName('the used fraction of the KV cache, 0 to 1'),
  queueTime: seriesName('the queue time in seconds (a histogram or summary: its _sum and _count are read)'),
  preemptions: seriesName('the preemption counter'),
  prefixCacheHits: seriesName('the prefix-cache hit counter'),
  prefixCacheQueries: seriesName('the prefix-cache query counter'),
}

const mappingFields = <Series extends ReturnType<typeof seriesWritten> | ReturnType<typeof seriesFilled>>(
  series: Series,
) => ({
  engine: Type.Enum(METRICS_ENGINES, {
    default: 'auto',
    description: 'Whose metric names to expect. auto: recognised from the names; custom: those of `series`',
  }),
  series: nullable(series),
})
const seriesWritten = () =>
  written(seriesFields, [], { description: 'Names of the series, for engine custom' })
const seriesFilled = () => filled(seriesFields, 'Names of the series, for engine custom')

const tlsFields = {
  rejectUnauthorized: Type.Boolean({ default: true, description: 'Refuse certificates that do not verify' }),
  caPem: nullable(
    Type.String({ minLength: 1, maxLength: 100_000, description: 'Certificate authorities to trust, PEM' }),
  ),
  serverName: nullable(Type.String({ minLength: 1, maxLength: 253, description: 'Name to ask for (SNI)' })),
}

const ownFields = {
  baseUrl: url('Base of the OpenAI-compatible API, with its version part', 'http://127.0.0.1:8000/v1'),
  model: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'Model name to ask for',
    examples: ['meta-llama/Llama-3.1-8B-Instruct'],
  }),
  endpoint: Type.Enum(['chat', 'completions'], {
    default: 'chat',
    description: 'chat: /chat/completions; completions: /completions',
  }),
  stream: Type.Boolean({
    default: true,
    description: 'Ask for a stream. Without one there is no TTFT and no TPOT, only E2E',
  }),
  apiKeyRef: nullable(
    Type.String({
      pattern: '^[A-Za-z0-9_]{1,64}$',
      description: 'Name of the key in the worker’s environment (LOADCURVE_TARGET_KEY_<NAME>), never the key',
      examples: ['prod'],
    }),
  ),
  headers: Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
    default: {},
    description: 'Extra request headers. Credentials belong into apiKeyRef and are refused here',
  }),
  extraBody: Type.Record(Type.String(), Type.Unknown(), {
    default: {},
    description: 'Extra fields of the request body, such as temperature',
    examples: [{ temperature: 0 }],
  }),
  metricsUrl: nullable(url('Prometheus metrics of the server', 'http://127.0.0.1:8000/metrics')),
  metricsIntervalMs: Type.Number({
    minimum: 100,
    maximum: 60_000,
    default: 1_000,
    description: 'Time between two readings of metricsUrl, ms',
  }),
  captureSizes: nullable(
    Type.Array(Type.Integer({ minimum: 1, maximum: CAPTURE_SIZE_MAX }), {
      maxItems: CAPTURE_SIZES_MAX,
      description:
        'Batch sizes that the server has captured (CUDA graphs) and pads its decode batch to; empty: it pads nothing. Left out: the sweep has to tell',
      examples: [[1, 2, 4, 8, 16, 24, 32]],
    }),
  ),
  tokenizeUrl: nullable(url('Tokenizer endpoint of the server', 'http://127.0.0.1:8000/tokenize')),
}

export const TargetInputSchema = written(
  {
    ...ownFields,
    metricsMapping: written(mappingFields(seriesWritten()), [], {
      default: {},
      description: 'How to read metricsUrl',
    }),
    deadlines: written(deadlineFields, [], { default: {}, description: 'When a request is given up, ms' }),
    tls: written(tlsFields, [], { default: {}, description: 'TLS options' }),
  },
  ['baseUrl', 'model'],
  { description: 'The inference server' },
)

export const TargetSchema = filled(
  {
    ...ownFields,
    metricsMapping: filled(mappingFields(seriesFilled()), 'How to read metricsUrl'),
    deadlines: filled(deadlineFields, 'When a request is given up, ms'),
    tls: filled(tlsFields, 'TLS options'),
  },
  'The inference server',
)
