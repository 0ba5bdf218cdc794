/** `plan.slo`, `plan.demand` and `plan.hardware`: the promise, the traffic that it is made to, and what is bought. */
import { Type } from 'typebox'
import { SLO_METRICS } from '../metrics/slo-metric.ts'
import { filled, nullable, written } from './schema-builder.ts'
import { LengthInputSchema, LengthSchema } from './workload-schema.ts'

const ratePerS = (description: string) =>
  Type.Number({ minimum: 0, maximum: 10_000_000, description: `${description}, requests/s` })

const sloFields = {
  metric: Type.Enum(SLO_METRICS, {
    description: 'Which latency; METRICS.md defines them',
    examples: ['ttft'],
  }),
  percentile: Type.Union([Type.Number({ minimum: 50, maximum: 99.9 }), Type.Literal('mean')], {
    description: 'Percentile that must stay under the limit (50 to 99.9), or "mean"',
    examples: [95],
  }),
  maxMs: Type.Number({
    exclusiveMinimum: 0,
    maximum: 86_400_000,
    description: 'The limit, ms',
    examples: [800],
  }),
}
export const SloTargetSchema = filled(sloFields, 'One promise')
export const SloSchema = Type.Array(SloTargetSchema, {
  maxItems: 10,
  description: 'The promises, all of which must hold; left out: the profile’s',
  examples: [[{ metric: 'ttft', percentile: 95, maxMs: 800 }]],
})

const jobSchema = filled(
  {
    requests: Type.Integer({ minimum: 1, maximum: 1e12, description: 'Requests of the job' }),
    deadlineS: Type.Number({
      exclusiveMinimum: 0,
      maximum: 31_536_000,
      description: 'Time for all of them, s',
    }),
  },
  'Work that must be done by a deadline',
)

const classFields = <Length extends ReturnType<typeof LengthInputSchema> | ReturnType<typeof LengthSchema>>(
  length: (description: string) => Length,
) => ({
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the traffic class' }),
  peakRequestsPerS: ratePerS('Peak of this class'),
  meanRequestsPerS: nullable(ratePerS('Mean of this class')),
  inputTokens: length('Prompt length of this class'),
  outputTokens: length('Answer length of this class'),
  slo: SloSchema,
})
const classWritten = () =>
  written(
    classFields(LengthInputSchema),
    ['name', 'peakRequestsPerS', 'inputTokens', 'outputTokens', 'slo'],
    {
      description: 'Traffic with lengths and an SLO of its own',
    },
  )
const classFilled = () => filled(classFields(LengthSchema), 'Traffic with lengths and an SLO of its own')

const demandFields = <Class extends ReturnType<typeof classWritten> | ReturnType<typeof classFilled>>(
  trafficClass: Class,
) => ({
  peakRequestsPerS: nullable(ratePerS('Peak of all traffic')),
  meanRequestsPerS: nullable(ratePerS('Mean of all traffic; null: unknown, and no cost at mean is given')),
  users: nullable(Type.Number({ minimum: 1, maximum: 1e9, description: 'Users at work at the same time' })),
  thinkTimeS: nullable(
    Type.Number({ minimum: 0, maximum: 86_400, description: 'Pause of a user between two requests, s' }),
  ),
  hourlyRequestsPerS: nullable(
    Type.Array(ratePerS('Mean in one hour of the day'), {
      minItems: 24,
      maxItems: 24,
      description: 'Requests/s of the 24 hours of a day',
    }),
  ),
  job: nullable(jobSchema),
  classes: nullable(
    Type.Array(trafficClass, { minItems: 1, maxItems: 10, description: 'Several kinds of traffic' }),
  ),
  burstFactor: Type.Number({
    minimum: 1,
    maximum: 100,
    default: 1.3,
    description: 'What the peak is multiplied by to cover bursts inside the peak hour',
  }),
  spareReplicas: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 1,
    description: 'Replicas on top, for failures and deployments',
  }),
})
const demandDescription =
  'Traffic to buy for, in exactly one form: peakRequestsPerS, users, hourlyRequestsPerS, job, or classes'

export const DemandInputSchema = nullable(
  written(demandFields(classWritten()), [], { description: demandDescription }),
)
export const DemandSchema = nullable(filled(demandFields(classFilled()), demandDescription))

const apiPriceSchema = filled(
  {
    inputPerMillion: Type.Number({
      minimum: 0,
      maximum: 1e6,
      description: 'Price of a million input tokens',
    }),
    outputPerMillion: Type.Number({
      minimum: 0,
      maximum: 1e6,
      description: 'Price of a million output tokens',
    }),
  },
  'Price of a hosted API, for the break-even',
)

const hardwareFields = {
  gpu: nullable(
    Type.String({ minLength: 1, maxLength: 100, description: 'GPU, as in /v1/gpus', examples: ['H100-SXM'] }),
  ),
  gpusPerReplica: Type.Integer({
    minimum: 1,
    maximum: 1_024,
    default: 1,
    description: 'GPUs of one copy of the server',
  }),
  gpusPerNode: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_024,
      description: 'GPUs bought together; the fleet is rounded up to it',
    }),
  ),
  failureDomain: Type.Enum(['replica', 'node'], {
    default: 'replica',
    description: 'What one failure takes away: a replica, or a whole node with all replicas on it',
  }),
  pricePerGpuHour: nullable(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 10_000,
      description: 'Price of one GPU for an hour',
      examples: [2.95],
    }),
  ),
  priceDate: nullable(
    Type.String({
      pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
      description: 'Day the price was read',
      examples: ['2026-05-20'],
    }),
  ),
  apiPrice: nullable(apiPriceSchema),
  model: nullable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Model geometry, as in /v1/models; null: no memory cap and no floor is computed',
      examples: ['Llama-3.1-8B'],
    }),
  ),
  memoryUtilizationFraction: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.9,
    description: 'Share of GPU memory that the server may use (gpu_memory_utilization)',
  }),
  kvBytesPerElement: Type.Number({
    minimum: 0.5,
    maximum: 4,
    default: 2,
    description: 'Bytes of one KV-cache element: 2 for bf16, 1 for fp8',
  }),
  kvBlockTokens: Type.Integer({
    minimum: 1,
    maximum: 1_024,
    default: 16,
    description: 'Tokens in a KV block',
  }),
}
const hardwareDescription = 'What a replica runs on, for memory, fleet and cost'

export const HardwareInputSchema = nullable(written(hardwareFields, [], { description: hardwareDescription }))
export const HardwareSchema = nullable(filled(hardwareFields, hardwareDescription))
