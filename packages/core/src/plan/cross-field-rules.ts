/**
 * What the schema cannot say: fields that contradict each other. Each rule names the fields that it reads, so that it
 * is left out when one of them is already faulty, and nobody is told of a contradiction with a default.
 */
import { demandRules, hardwareRules, sloRules } from './purchase-rules.ts'
import type { Plan } from './schema.ts'
import { batchRules, levelRules, limitRules, stepRules } from './sweep-rules.ts'
import { headerRules, metricsRules } from './target-rules.ts'
import type { Violation } from './violation.ts'
import { arrivalRules, lengthRules, taskRules } from './workload-rules.ts'

export interface Rule {
  readonly reads: readonly string[]
  readonly check: (plan: Plan) => readonly Violation[]
}

export const CROSS_FIELD_RULES: readonly Rule[] = [
  // Judges each header and body field by itself; a faulty one is already taken out and hides no other.
  { reads: [], check: headerRules },
  { reads: ['target.metricsUrl', 'target.metricsMapping', 'target.deadlines'], check: metricsRules },
  {
    reads: ['workload.inputTokens', 'workload.outputTokens', 'workload.sharedPrefixTokens'],
    check: lengthRules,
  },
  { reads: ['workload.arrival'], check: arrivalRules },
  { reads: ['workload.expectJson', 'workload.failOn', 'workload.ignoreEos'], check: taskRules },
  { reads: ['sweep.batch', 'target.endpoint'], check: batchRules },
  { reads: ['sweep.mode', 'sweep.concurrency', 'sweep.ratesPerS'], check: levelRules },
  { reads: ['sweep.step', 'sweep.adaptive'], check: stepRules },
  { reads: ['sweep', 'limits', 'workload.outputTokens'], check: limitRules },
  { reads: ['slo', 'target.stream', 'workload.expectJson'], check: sloRules },
  { reads: ['demand'], check: demandRules },
  { reads: ['hardware'], check: hardwareRules },
]
