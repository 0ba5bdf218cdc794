/**
 * The gates: what a level must satisfy before its numbers may shape a fit. A level that fails one is left out and
 * named with a stable code; the rest is fitted. A benchmark that never reached its nominal concurrency, or averaged
 * a handful of requests, otherwise bends the curve exactly where the answer is read off.
 */
import type { LevelReading } from './reading.ts'

/** Codes that exclude one level. */
export type LevelCode =
  | 'concurrency-not-reached'
  | 'littles-law-violated'
  | 'too-few-samples'
  | 'error-rate'
  | 'output-length-differs'
  | 'cache-hit-rate-differs'
  | 'foreign-traffic'
  | 'no-steady-state'
  | 'tpot-missing'
  | 'decode-batch-unknown'

/** Why a level that fails no gate is kept out of the fit: the fit is judged on it. */
export const HELD_OUT = 'held-out'

export const GATES = {
  /** Requests behind a level's means. */
  closedLoopRequestsMin: 30,
  openLoopRequestsMin: 60,
  /** Requests per client: fewer than this and the level is mostly its own ramp. */
  requestsPerClientMin: 3,
  okFractionMin: 0.99,
  /** In flight over nominal: below the first the nominal figure is not believed, below the second the level is not. */
  ratioTrusted: 0.97,
  ratioMin: 0.9,
  ratioMax: 1.1,
  /** Served over offered rate in open loop. */
  servedMin: 0.97,
  outputLengthTolerance: 0.1,
  cacheHitTolerance: 0.1,
  /** Requests that the server holds beyond ours. */
  foreignTolerance: 0.1,
} as const

/** What the levels of a sweep have in common, against which each is judged. */
export interface SweepNorms {
  /** Output tokens asked for, or the median over the levels. */
  readonly outputTokens: number | null
  /** Median prefix-cache hit fraction, null when not scraped. */
  readonly cacheHitFraction: number | null
}

/** The first gate that a reading fails, or null. A gate that the run itself applied comes first. */
export function gate(reading: LevelReading, norms: SweepNorms): string | null {
  const { level } = reading
  if (level.excluded !== null) return level.excluded
  if (level.okFraction !== null && level.okFraction < GATES.okFractionMin) return 'error-rate'
  if (tooFewRequests(reading)) return 'too-few-samples'
  return flowGate(reading) ?? comparabilityGate(reading, norms) ?? completenessGate(reading)
}

/** True for a level that a run kept out of the fit, and that would have passed. */
export function isSoundHeldOut(reading: LevelReading, norms: SweepNorms): boolean {
  const { level } = reading
  return (
    level.excluded === HELD_OUT && gate({ ...reading, level: { ...level, excluded: null } }, norms) === null
  )
}

/** Medians of a sweep that single levels are compared with. */
export function sweepNorms(readings: readonly LevelReading[], outputTokensAsked: number | null): SweepNorms {
  return {
    outputTokens: outputTokensAsked ?? median(readings.map((reading) => reading.level.outputTokens)),
    cacheHitFraction: median(readings.map((reading) => reading.level.server?.prefixCacheHitFraction ?? null)),
  }
}

function tooFewRequests({ level }: LevelReading): boolean {
  if (level.requests === null) return false
  if (level.kind === 'open-loop') return level.requests < GATES.openLoopRequestsMin
  const clients = level.concurrency ?? level.achievedConcurrency ?? 0
  return level.requests < GATES.closedLoopRequestsMin || level.requests < GATES.requestsPerClientMin * clients
}

// Was the load what it claims to be?
function flowGate(reading: LevelReading): LevelCode | null {
  const { level, littlesLawRatio, identityRatio } = reading
  if (level.kind === 'open-loop') {
    return littlesLawRatio !== null && littlesLawRatio < GATES.servedMin ? 'no-steady-state' : null
  }
  if (littlesLawRatio !== null && littlesLawRatio < GATES.ratioMin) return 'concurrency-not-reached'
  if (littlesLawRatio !== null && littlesLawRatio > GATES.ratioMax) return 'littles-law-violated'
  if (identityRatio !== null && (identityRatio < GATES.ratioMin || identityRatio > GATES.ratioMax)) {
    return 'littles-law-violated'
  }
  return foreignTraffic(reading) ? 'foreign-traffic' : null
}

function foreignTraffic({ level, inFlight }: LevelReading): boolean {
  const server = level.server
  if (server === null || server.running === null || inFlight === null) return false
  const held = server.running + (server.waiting ?? 0)
  return held > inFlight * (1 + GATES.foreignTolerance) + 1
}

// Is it comparable with the other levels?
function comparabilityGate({ level }: LevelReading, norms: SweepNorms): LevelCode | null {
  if (level.outputTokens !== null && norms.outputTokens !== null) {
    const difference = Math.abs(level.outputTokens / norms.outputTokens - 1)
    if (difference > GATES.outputLengthTolerance) return 'output-length-differs'
  }
  const hits = level.server?.prefixCacheHitFraction ?? null
  if (hits !== null && norms.cacheHitFraction !== null) {
    if (Math.abs(hits - norms.cacheHitFraction) > GATES.cacheHitTolerance) return 'cache-hit-rate-differs'
  }
  return null
}

function completenessGate(reading: LevelReading): LevelCode | null {
  // An answer of one token has no pace.
  const paced = reading.outputTokens === null || reading.outputTokens > 1
  if (reading.tpotMs === null || !paced) return 'tpot-missing'
  if (reading.decodeBatch === null || !(reading.decodeBatch > 0)) return 'decode-batch-unknown'
  return null
}

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((left, right) => left - right)
  if (known.length === 0) return null
  const middle = (known.length - 1) / 2
  return ((known[Math.floor(middle)] ?? 0) + (known[Math.ceil(middle)] ?? 0)) / 2
}
