/**
 * A sweep as the fit sees it: the readings that passed the gates, repeats of one level merged, in order of their
 * decode batch. The same shape holds the measured sweep and every bootstrap replicate of it.
 */
import type { LevelReading } from './reading.ts'
import { type StepPoint, stepWeight } from './step-forms.ts'

export interface SweepPoint extends StepPoint {
  /** Requests in flight: N in closed loop, less the clients that think. */
  readonly concurrency: number
  readonly ttftMs: number | null
  /** 1/s; null unless it was measured on its own. */
  readonly requestsPerS: number | null
  /** The server's batch limit that the plan set for this level, else null. */
  readonly batchLimit: number | null
  /** Relative standard error of stepMs from batch means, when it came with one. */
  readonly standardErrorFraction: number | null
}

export interface Sweep {
  readonly points: readonly SweepPoint[]
  readonly outputTokens: number
  /** k/E of a mixture of experts, else null. */
  readonly expertFraction: number | null
}

/** The readings of one point: repeats of a level count once, with their mean. */
export function groupRepeats(readings: readonly LevelReading[]): LevelReading[][] {
  const groups = new Map<string, LevelReading[]>()
  for (const reading of readings) {
    const { kind, concurrency, ratePerS, batchLimit } = reading.level
    const key = [kind, concurrency ?? '', ratePerS ?? '', batchLimit ?? ''].join('|')
    const unnamed = concurrency === null && ratePerS === null
    const name = unnamed ? `${key}#${groups.size}` : key
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [reading])
    else group.push(reading)
  }
  return [...groups.values()].sort((left, right) => groupBatch(left) - groupBatch(right))
}

/** Merges the repeats of one level into a point. Every reading passed the gates, so batch and TPOT are known. */
export function sweepPoint(group: readonly LevelReading[]): SweepPoint {
  const stepMs = meanOf(group.map((reading) => reading.tpotMs)) ?? Number.NaN
  const inFlight = meanOf(group.map((reading) => reading.inFlight)) ?? groupBatch(group)
  const measured = group.filter((reading) => !reading.throughputDerived)
  const oneError = meanOf(group.map((reading) => reading.level.errors?.tpot ?? null))
  const standardErrorFraction = oneError === null ? null : oneError / Math.sqrt(group.length)
  return {
    batch: groupBatch(group),
    stepMs,
    // Repeats add information, but not about the form: the floor of the weight stays.
    weight: stepWeight({ stepMs, standardErrorFraction }),
    standardErrorFraction,
    batchLimit: group[0]?.level.batchLimit ?? null,
    concurrency: inFlight,
    ttftMs: meanOf(group.map((reading) => reading.ttftMs)),
    requestsPerS: meanOf(measured.map((reading) => reading.requestsPerS)),
  }
}

function groupBatch(group: readonly LevelReading[]): number {
  return meanOf(group.map((reading) => reading.decodeBatch)) ?? Number.NaN
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}
