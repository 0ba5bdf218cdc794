import { prepareReplica, type Replica, type ReplicaQuestion } from '@loadcurve/core/capacity/replica'
import { fittedLaw, linearLaw } from './law-fixture.ts'

/** A replica of 31 places whose law is known exactly. */
export function replicaOf(over: Partial<ReplicaQuestion> = {}): Replica {
  return prepareReplica({
    fitted: fittedLaw({ law: linearLaw({ saturationBatch: 31 }) }),
    levels: [],
    inputTokens: null,
    outputTokens: null,
    arrival: { process: 'poisson' },
    stepTokens: null,
    kvTokens: null,
    seed: 1,
    ...over,
  })
}
