/**
 * How long a step must be. Everything is measured in residences R, the mean time that a request stays in the system:
 * a window of a fixed number of seconds would hold a thousand short requests or two long ones.
 *
 * R grows with the load and is not known before the step, so it is taken from the steps measured so far, as a first
 * guess. It need not be good: the warm-up also waits for one generation of requests to end, and the conductor looks
 * into the running step and moves its end when R turns out to be longer.
 */
import type { StepLevel } from '../load/step-level.ts'

/** The part of a plan's `sweep.step` that decides lengths. */
export interface StepLengthRules {
  readonly residences: number
  readonly warmupResidences: number
  readonly minDurationS: number
  readonly maxDurationS: number
  readonly maxWarmupS: number
  readonly drainLimitS: number
  readonly minRequests: number
}

export interface StepLength {
  readonly warmupMs: number
  readonly warmupMaxMs: number
  /** Requests of all shards that must have ended before the window opens: one generation. */
  readonly warmupRequests: number
  readonly windowMs: number
  readonly windowMaxMs: number
  /** Requests of all shards that the window must hold. */
  readonly requestsMin: number
  readonly drainMaxMs: number
  /** Closed loop: the first requests are spread over this time. */
  readonly staggerMs: number
}

/** Mean residence of a step that was measured. */
export interface MeasuredResidence {
  readonly level: StepLevel
  readonly residenceMs: number
  readonly requestsPerS: number | null
}

/** With fewer requests for each client the fit would refuse the level (`too-few-samples`); one of slack. */
const REQUESTS_PER_CLIENT_MIN = 4

/**
 * The lengths of a step.
 *
 * @param residenceMs the guess of R at this level, > 0
 * @param remainingMs what the plan's time budget leaves; the window is not longer
 * @throws RangeError when residenceMs is not positive
 */
export function stepLength({
  rules,
  level,
  residenceMs,
  remainingMs,
}: {
  readonly rules: StepLengthRules
  readonly level: StepLevel
  readonly residenceMs: number
  readonly remainingMs: number
}): StepLength {
  if (!(residenceMs > 0)) throw new RangeError(`residenceMs must be positive, got ${residenceMs}`)
  const warmupMaxMs = rules.maxWarmupS * 1000
  const warmupMs = Math.min(rules.warmupResidences * residenceMs, warmupMaxMs)
  // A run that is out of time still gets a window long enough to end it properly.
  const windowMaxMs = Math.max(1, Math.min(rules.maxDurationS * 1000, remainingMs))
  return {
    warmupMs,
    warmupMaxMs,
    warmupRequests: level.concurrency ?? 0,
    windowMs: Math.min(Math.max(rules.minDurationS * 1000, rules.residences * residenceMs), windowMaxMs),
    windowMaxMs,
    requestsMin: Math.max(rules.minRequests, REQUESTS_PER_CLIENT_MIN * (level.concurrency ?? 0)),
    drainMaxMs: rules.drainLimitS * 1000,
    staggerMs: level.concurrency === null ? 0 : Math.min(residenceMs, warmupMs),
  }
}

/**
 * A guess of R at a level, from the steps measured so far: that of the nearest level with no more load, else that of
 * the nearest with more, else what one request alone took. Steps with another batch limit count only when there is
 * nothing else.
 */
export function guessResidenceMs({
  level,
  measured,
  zeroLoadMs,
}: {
  readonly level: StepLevel
  readonly measured: readonly MeasuredResidence[]
  readonly zeroLoadMs: number
}): number {
  const sameBatch = measured.filter((step) => step.level.batch === level.batch)
  const loads = (sameBatch.length > 0 ? sameBatch : measured)
    .map((step) => ({ load: comparableLoad(level, step), residenceMs: step.residenceMs }))
    .filter((step): step is { load: number; residenceMs: number } => step.load !== null)
    .sort((left, right) => left.load - right.load)
  const wanted = level.concurrency ?? level.ratePerS ?? 0
  const below = loads.filter(({ load }) => load <= wanted).at(-1)
  return (below ?? loads[0])?.residenceMs ?? zeroLoadMs
}

// In open loop a level is a rate: closed-loop steps are comparable by the throughput that they reached.
function comparableLoad(level: StepLevel, step: MeasuredResidence): number | null {
  return level.concurrency !== null ? step.level.concurrency : (step.level.ratePerS ?? step.requestsPerS)
}
