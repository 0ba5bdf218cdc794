import { addProgress, type ShardProgress } from '@loadcurve/core/run/progress'
import { expect, test } from 'vitest'

const shard = (part: Partial<ShardProgress>): ShardProgress => ({
  phase: 'window',
  atMs: 1000,
  windowOpenAtMs: 500,
  inFlight: 4,
  started: 10,
  ended: 6,
  failed: 1,
  dropped: 0,
  measuredStarted: 5,
  measuredEnded: 2,
  endedPerS: 1.5,
  contentEventsPerS: 100,
  ttftP50Ms: 80,
  tpotP50Ms: null,
  generatorLagP99Ms: 0.5,
  ...part,
})

test('progress: counts and rates of the shards add up, of medians and lag the worst is shown', () => {
  const other = shard({ atMs: 1200, dropped: 3, ttftP50Ms: 90, tpotP50Ms: 12, generatorLagP99Ms: 0.2 })
  expect(addProgress([shard({}), other])).toEqual({
    phase: 'window',
    atMs: 1200,
    windowOpenAtMs: 500,
    inFlight: 8,
    started: 20,
    ended: 12,
    failed: 2,
    dropped: 3,
    measuredStarted: 10,
    measuredEnded: 4,
    endedPerS: 3,
    contentEventsPerS: 200,
    ttftP50Ms: 90,
    tpotP50Ms: 12,
    generatorLagP99Ms: 0.5,
  })
})

test('progress: a step is as far as its last shard', () => {
  expect(addProgress([shard({ phase: 'tail' }), shard({ phase: 'warmup' })])?.phase).toBe('warmup')
  expect(addProgress([shard({ phase: 'tail' }), shard({ phase: 'window' })])?.phase).toBe('window')
  expect(addProgress([])).toBeNull()
})
