/**
 * What one level says about the server, derived once and used by everything after: throughput, requests in flight,
 * Little's law, and the mean decode batch that the step-time fit has as its abscissa.
 *
 *   throughput     X from requests/s, or output tokens/s ÷ O, or (when the source has neither) N / R by Little's law
 *   in flight      L: measured if the source says so; else X·R when Little's law shows that N was not quite reached;
 *                  else N less the clients that think
 *   decode batch   b = L − X·TTFT
 *
 * Means obey Little's law, medians do not, so a level that only has p50 columns gets no ratio. A source without any
 * TPOT but with the median gap between tokens is read by that: as long as fewer than half of the gaps carry another
 * prompt's prefill, it is the time of one step, like the median TPOT.
 */
import type { LatencyColumn, Level } from './level.ts'

export interface LevelReading {
  readonly level: Level
  /** Statistic that stands for the typical request: means where the level has them. */
  readonly statistic: 'mean' | 'p50'
  readonly ttftMs: number | null
  readonly tpotMs: number | null
  /** Where tpotMs comes from: its column, (E2E − TTFT) / (O − 1), the median token gap, or what Little's law leaves. */
  readonly tpotSource: 'column' | 'e2e' | 'gaps' | 'flow'
  readonly outputTokens: number | null
  readonly requestsPerS: number | null
  /** True when requestsPerS follows from Little's law and so cannot check it. */
  readonly throughputDerived: boolean
  /** L, requests in flight. */
  readonly inFlight: number | null
  /** Requests in flight over clients (closed loop) or served over offered rate (open loop); null when not checkable. */
  readonly littlesLawRatio: number | null
  /** X·R over the measured L, when both were measured: an identity, so far from 1 the window was too short. */
  readonly identityRatio: number | null
  /** b, mean decode batch. */
  readonly decodeBatch: number | null
}

/** Derives a level's reading. `outputTokens` stands in where the level does not know its own. */
export function readLevel(level: Level, outputTokens: number | null): LevelReading {
  const tokens = level.outputTokens ?? outputTokens
  const ttftMs = typical(level.ttftMs)
  const { tpotMs, tpotSource, statistic } = stepTime(level, tokens)
  const residenceMs =
    ttftMs === null || tpotMs === null || tokens === null ? null : ttftMs + (tokens - 1) * tpotMs
  const { requestsPerS, throughputDerived } = throughput(level, tokens, residenceMs)
  const checkable = statistic === 'mean' && level.ttftMs.mean !== null && tpotSource !== 'flow'
  const byLaw =
    requestsPerS !== null && residenceMs !== null && checkable && !throughputDerived
      ? (requestsPerS * residenceMs) / 1000
      : null
  const thinking = requestsPerS === null ? 0 : requestsPerS * level.thinkTimeS
  const littlesLawRatio = ratio(level, { byLaw, thinking, requestsPerS, throughputDerived })
  const inFlight = inFlightOf(level, { byLaw, thinking, littlesLawRatio, requestsPerS, residenceMs })
  const identityRatio =
    byLaw !== null && level.achievedConcurrency !== null ? byLaw / level.achievedConcurrency : null
  const decodeBatch = decodeBatchOf({ inFlight, requestsPerS, ttftMs, tpotMs, tokens, throughputDerived })
  return {
    level,
    statistic,
    ttftMs,
    tpotMs,
    tpotSource,
    outputTokens: tokens,
    requestsPerS,
    throughputDerived,
    inFlight,
    littlesLawRatio,
    identityRatio,
    decodeBatch,
  }
}

/** The mean where there is one, else the median. */
export function typical(column: LatencyColumn): number | null {
  return column.mean ?? column.p50
}

type StepTime = Pick<LevelReading, 'tpotMs' | 'tpotSource' | 'statistic'>

// TPOT from its column; else from E2E of the same statistic, the median gap, or what Little's law leaves.
function stepTime(level: Level, tokens: number | null): StepTime {
  const { mean, p50 } = level.tpotMs
  if (mean !== null) return { tpotMs: mean, tpotSource: 'column', statistic: 'mean' }
  if (p50 !== null) return { tpotMs: p50, tpotSource: 'column', statistic: 'p50' }
  return (
    fromEndToEnd(level, { tokens, statistic: 'mean' }) ??
    fromGaps(level) ??
    fromEndToEnd(level, { tokens, statistic: 'p50' }) ??
    fromFlow(level, tokens) ?? { tpotMs: null, tpotSource: 'column', statistic: 'mean' }
  )
}

function fromEndToEnd(
  level: Level,
  from: { tokens: number | null; statistic: 'mean' | 'p50' },
): StepTime | null {
  const { tokens, statistic } = from
  const e2eMs = level.e2eMs[statistic]
  const ttftMs = level.ttftMs[statistic]
  if (tokens === null || tokens <= 1 || e2eMs === null || ttftMs === null || e2eMs <= ttftMs) return null
  return { tpotMs: (e2eMs - ttftMs) / (tokens - 1), tpotSource: 'e2e', statistic }
}

// The median gap is a decode step without prefill; higher percentiles of gaps are not.
function fromGaps({ gapMs }: Level): StepTime | null {
  return gapMs.p50 === null ? null : { tpotMs: gapMs.p50, tpotSource: 'gaps', statistic: 'p50' }
}

// N clients at X requests/s spend N/X each; what is not TTFT or thinking is decoding.
function fromFlow(level: Level, tokens: number | null): StepTime | null {
  if (tokens === null || tokens <= 1) return null
  const perS =
    level.requestsPerS ?? (level.outputTokensPerS === null ? null : level.outputTokensPerS / tokens)
  const clients = level.achievedConcurrency ?? level.concurrency
  if (perS === null || clients === null || level.ttftMs.mean === null) return null
  const decodingMs = 1000 * (clients / perS - level.thinkTimeS) - level.ttftMs.mean
  if (!(decodingMs > 0)) return null
  return { tpotMs: decodingMs / (tokens - 1), tpotSource: 'flow', statistic: 'mean' }
}

function throughput(level: Level, outputTokens: number | null, residenceMs: number | null) {
  if (level.requestsPerS !== null) return { requestsPerS: level.requestsPerS, throughputDerived: false }
  if (level.outputTokensPerS !== null && outputTokens !== null) {
    return { requestsPerS: level.outputTokensPerS / outputTokens, throughputDerived: false }
  }
  if (level.kind === 'open-loop') return { requestsPerS: level.ratePerS, throughputDerived: true }
  const clients = level.achievedConcurrency ?? level.concurrency
  if (clients === null || residenceMs === null) return { requestsPerS: null, throughputDerived: false }
  return {
    requestsPerS: clients / (residenceMs / 1000 + level.thinkTimeS),
    throughputDerived: true,
  }
}

interface Derived {
  readonly byLaw: number | null
  readonly thinking: number
  readonly requestsPerS: number | null
}

function ratio(level: Level, derived: Derived & { throughputDerived: boolean }): number | null {
  if (level.kind === 'open-loop') {
    if (derived.throughputDerived || derived.requestsPerS === null || level.ratePerS === null) return null
    return derived.requestsPerS / level.ratePerS
  }
  if (level.concurrency === null) return null
  const seen = level.achievedConcurrency ?? derived.byLaw
  return seen === null ? null : (seen + derived.thinking) / level.concurrency
}

function inFlightOf(
  level: Level,
  derived: Derived & { littlesLawRatio: number | null; residenceMs: number | null },
): number | null {
  if (level.achievedConcurrency !== null) return level.achievedConcurrency
  if (level.kind === 'open-loop') {
    if (derived.requestsPerS === null || derived.residenceMs === null) return null
    return (derived.requestsPerS * derived.residenceMs) / 1000
  }
  if (level.concurrency === null) return null
  // Below 0.97 the nominal figure was not reached: what the law says is in flight is trusted instead.
  if (derived.byLaw !== null && derived.littlesLawRatio !== null && derived.littlesLawRatio < 0.97) {
    return derived.byLaw
  }
  return level.concurrency - derived.thinking
}

function decodeBatchOf(parts: {
  inFlight: number | null
  requestsPerS: number | null
  ttftMs: number | null
  tpotMs: number | null
  tokens: number | null
  throughputDerived: boolean
}): number | null {
  const { inFlight, requestsPerS, ttftMs, tpotMs, tokens, throughputDerived } = parts
  if (requestsPerS === null) return null
  const decoding = tpotMs === null || tokens === null ? null : (requestsPerS * (tokens - 1) * tpotMs) / 1000
  if (inFlight === null || ttftMs === null) return decoding
  const waiting = (requestsPerS * ttftMs) / 1000
  // When most requests wait, b is the small difference of two large numbers and an error of 1 % in X is one of several
  // per cent in b; the product X·(O − 1)·TPOT is the same quantity without that loss.
  if (!throughputDerived && decoding !== null && waiting > inFlight / 2) return decoding
  return inFlight - waiting
}
