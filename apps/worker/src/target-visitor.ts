/** How a worker asks a target small questions beside the load: through the same policy, with the same key. */
import type { Plan } from '@loadcurve/core/plan/schema'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { targetKeyVariable } from '@loadcurve/loadgen/step-target'
import type { VisitorOptions } from '@loadcurve/loadgen/target/visitor'
import type { WorkerContext } from './context.ts'

export function visitorOptions({ config, env }: WorkerContext, { target }: Plan): VisitorOptions {
  return {
    policy: parseTargetPolicy(config.targets ?? '', config.ownEndpoints),
    baseUrl: target.baseUrl,
    apiKey: target.apiKeyRef === null ? null : (env[targetKeyVariable(target.apiKeyRef)] ?? null),
    headers: target.headers,
    tls: target.tls,
  }
}
