/** How far a step is, in the few figures that a person watches. Shards report them, and they add up. */

export interface ShardProgress {
  readonly phase: 'warmup' | 'window' | 'tail'
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
}

const PHASES = ['warmup', 'window', 'tail'] as const

/**
 * The progress of a step from that of its shards: counts and rates add up, and the step is in the earliest phase that
 * any shard is in. Null when no shard has reported.
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
  }
}
