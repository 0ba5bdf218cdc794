/**
 * Which steps may enter a fit. A step that fails a gate is excluded and named by a stable code, never silently used;
 * what is only worth knowing is a caveat.
 */
import { NOMINAL_TRUSTED_MIN } from './littles-law.ts'
import type { StepSummary } from './step-summary.ts'

/** More failures than this and the latencies are those of another, emptier server. */
export const ERROR_FRACTION_MAX = 0.01
/** Achieved output length against the one asked for. */
export const LENGTH_FLAGGED = 0.02
export const LENGTH_REJECTED = 0.1
/** Fewer successful requests than this give no usable mean. */
export const REQUESTS_MIN = 20
/** Every closed-loop slot must have turned over this often. */
const TURNOVERS_MIN = 2
/** Unasked hits beyond what a chat template's few shared tokens explain. */
const CACHE_HITS_EXPECTED_MAX = 0.05

export type StepRefusal =
  | 'generator-unhealthy'
  | 'error-rate'
  | 'too-few-samples'
  | 'concurrency-not-reached'
  | 'littles-law-violated'
  | 'foreign-traffic'
  | 'output-length-differs'
  | 'no-steady-state'

export type StepCaveat =
  | 'nominal-not-trusted'
  | 'output-length-off'
  | 'input-length-off'
  | 'cache-hits-unasked'
  | 'first-event-tokens-assumed'
  | 'gaps-between-chunks'
  | 'output-tokens-unknown'

type Judged = Omit<StepSummary, 'refusals' | 'caveats'>

/** @param lengthsForced the server was asked to go on to the given length */
export function stepRefusals(step: Judged, lengthsForced: boolean): StepRefusal[] {
  const { requests, littlesLaw, steadyState, outputTokens } = step
  const checks: readonly (readonly [StepRefusal, boolean])[] = [
    ['generator-unhealthy', !step.generator.healthy],
    ['error-rate', requests.scheduled > 0 && requests.failed / requests.scheduled > ERROR_FRACTION_MAX],
    ['too-few-samples', requests.ok < Math.max(REQUESTS_MIN, TURNOVERS_MIN * (step.level.concurrency ?? 0))],
    ['concurrency-not-reached', littlesLaw.nominal.code === 'concurrency-not-reached'],
    ['littles-law-violated', littlesLaw.identity.code === 'littles-law-violated'],
    ['foreign-traffic', littlesLaw.server.code === 'foreign-traffic'],
    ['output-length-differs', lengthsForced && exceeds(outputTokens.differenceFraction, LENGTH_REJECTED)],
    ['no-steady-state', steadyState.throughput.steady === false || steadyState.ttft.steady === false],
  ]
  return checks.filter(([, fails]) => fails).map(([code]) => code)
}

export function stepCaveats(step: Judged, lengthsForced: boolean): StepCaveat[] {
  const { littlesLaw, outputTokens, inputTokens, cache } = step
  const flagged = lengthsForced && exceeds(outputTokens.differenceFraction, LENGTH_FLAGGED)
  const checks: readonly (readonly [StepCaveat, boolean])[] = [
    ['nominal-not-trusted', (littlesLaw.nominal.ratio ?? 1) < NOMINAL_TRUSTED_MIN],
    ['output-length-off', flagged && !exceeds(outputTokens.differenceFraction, LENGTH_REJECTED)],
    ['input-length-off', exceeds(inputTokens.differenceFraction, LENGTH_FLAGGED)],
    ['cache-hits-unasked', !cache.asked && (cache.hitFraction ?? 0) > CACHE_HITS_EXPECTED_MAX],
    ['first-event-tokens-assumed', step.assumedFirstEventTokens > 0],
    ['gaps-between-chunks', !step.gapsAreTokenGaps && step.latency.gap.n > 0],
    ['output-tokens-unknown', step.requests.ok > 0 && outputTokens.achieved === null],
  ]
  return checks.filter(([, holds]) => holds).map(([code]) => code)
}

const exceeds = (fraction: number | null, limit: number): boolean =>
  fraction !== null && Math.abs(fraction) > limit
