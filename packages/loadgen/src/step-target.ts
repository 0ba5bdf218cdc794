/** The target of a step, from its order and the environment of the load process. */
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import type { StepOrder } from './step-order.ts'
import type { TargetOptions } from './target/agent.ts'

/** The variable that holds the key which a plan calls `apiKeyRef`. */
export function targetKeyVariable(apiKeyRef: string): string {
  return `LOADCURVE_TARGET_KEY_${apiKeyRef.toUpperCase()}`
}

/** A plan names a key that this environment does not hold. */
export class TargetKeyMissingError extends Error {
  readonly code = 'target-key-missing'

  constructor(variable: string) {
    super(`The environment variable ${variable} is not set; put the target's API key into it.`)
    this.name = 'TargetKeyMissingError'
  }
}

/**
 * How the target of a step is reached.
 *
 * @throws TargetKeyMissingError when the named key is not in the environment
 */
export function stepTargetOptions(
  { target, policy }: Pick<StepOrder, 'target' | 'policy'>,
  world: { readonly env: Readonly<Record<string, string | undefined>>; readonly nowMs: () => number },
): Omit<TargetOptions, 'connections'> {
  return {
    baseUrl: target.baseUrl,
    endpoint: target.endpoint,
    apiKey: targetKey(target.apiKeyRef, world.env),
    headers: target.headers,
    policy: parseTargetPolicy(policy.allowList, policy.ownEndpoints),
    deadlines: {
      connectMs: target.deadlines.connectMs,
      firstByteMs: target.deadlines.firstByteMs,
      betweenEventsMs: target.deadlines.betweenEventsMs,
      totalMs: target.deadlines.totalMs,
    },
    tls: target.tls,
    nowMs: world.nowMs,
  }
}

function targetKey(
  apiKeyRef: string | null,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (apiKeyRef === null) return null
  const variable = targetKeyVariable(apiKeyRef)
  const key = env[variable]
  if (key === undefined || key === '') throw new TargetKeyMissingError(variable)
  return key
}
