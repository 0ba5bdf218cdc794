/** How far a step is, in the few figures that a person watches. Shards report them, and they add up. */

import type { Sample } from '../metrics/sample.ts'

export interface ShardProgress {
  readonly phase: Sample['phase']
  /** Step time, ms. */
  readonly atMs: number
  readonly windowOpenAtMs: number
  readonly inFlight: number
  readonly started: number
  readonly ended: number
  readonly failed: number
  readonly dropped: number
  /** Requests that started inside the window, and those of them that have ended. */
  readonly measuredStarted: number
  readonly measuredEnded: number
  readonly endedPerS: number
  /** Content events that arrived, 1/s: an event is not a token, unless the server sends one by one. */
  readonly contentEventsPerS: number
  /** Medians of the requests that ended most recently, ms; null while there is none. */
  readonly ttftP50Ms: number | null
  readonly tpotP50Ms: number | null
  /** p99 of how late the load process itself is, since the window opened (before: the start), ms. Null in virtual time. */
  readonly generatorLagP99Ms: number | null
}

const PHASES = ['warmup', 'window', 'tail'] as const

/**
 * The progress of a step from that of its shards: counts and rates add up, and the step is in the earliest phase that
 * any shard is in. Medians do not add up to a median, so of them, as of the lag, the worst shard's is shown. Null when
 * no shard has reported.
 */
export function addProgress(shards: readonly ShardProgress[]): ShardProgress | null {
  if (shards.length === 0) return null
  const total = (part: (shard: ShardProgress) => number) =>
    shards.reduce((sum, shard) => sum + part(shard), 0)
  return {
    phase: PHASES.find((phase) => shards.some((shard) => shard.phase === phase)) ?? 'tail',
    atMs: Math.max(...shards.map(({ atMs }) => atMs)),
    windowOpenAtMs: Math.max(...shards.map(({ windowOpenAtMs }) => windowOpenAtMs)),
    inFlight: total(({ inFlight }) => inFlight),
    started: total(({ started }) => started),
    ended: total(({ ended }) => ended),
    failed: total(({ failed }) => failed),
    dropped: total(({ dropped }) => dropped),
    measuredStarted: total(({ measuredStarted }) => measuredStarted),
    measuredEnded: total(({ measuredEnded }) => measuredEnded),
    endedPerS: total(({ endedPerS }) => endedPerS),
    contentEventsPerS: total(({ contentEventsPerS }) => contentEventsPerS),
    ttftP50Ms: largest(shards.map(({ ttftP50Ms }) => ttftP50Ms)),
    tpotP50Ms: largest(shards.map(({ tpotP50Ms }) => tpotP50Ms)),
    generatorLagP99Ms: largest(shards.map(({ generatorLagP99Ms }) => generatorLagP99Ms)),
  }
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}
