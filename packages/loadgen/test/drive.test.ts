import { mergedGapStatistics } from '@loadcurve/core/metrics/gap-histogram'
import type { Sample } from '@loadcurve/core/metrics/sample'
import { expect, test } from 'vitest'
import { type DriveParts, StepDrive } from '../src/drive.ts'
import type { DriveResult, Progress, StepOrder } from '../src/step-order.ts'
import { VirtualClock } from '../src/virtual-clock.ts'
import { type VirtualAnswer, virtualOrder, virtualTarget } from './virtual-target.ts'

interface Driven extends DriveResult {
  readonly clock: VirtualClock
  readonly progress: Progress[]
  /** Of the record and of all progress. */
  readonly samples: readonly Sample[]
}

async function driven(
  order: StepOrder,
  answerOf: (index: number) => VirtualAnswer,
  act: (drive: StepDrive, clock: VirtualClock, abort: AbortController) => Promise<void> = async () => {},
): Promise<Driven> {
  const clock = new VirtualClock()
  const abort = new AbortController()
  const progress: Progress[] = []
  const parts: DriveParts = {
    clock,
    prepare: virtualTarget(clock, answerOf),
    connections: () => ({ connectionsOpened: 8, retries: 0, parseQueuePeakBytes: 0 }),
    health: null,
    calibration: null,
    onProgress: (snapshot) => progress.push(snapshot),
    onStop: () => {},
    aborted: abort.signal,
  }
  const drive = new StepDrive(order, parts)
  const [result] = await clock.run(Promise.all([drive.run(), act(drive, clock, abort)]))
  const samples = [...progress.flatMap((snapshot) => snapshot.samples), ...result.record.samples]
  return { ...result, clock, progress, samples }
}

const answer = (index: number): VirtualAnswer => ({ ttftMs: 100, tpotMs: 20, tokens: 40 + (index % 9) * 5 })
const measured = (samples: readonly Sample[]) => samples.filter((sample) => sample.phase === 'window')

test('drive: every request becomes one sample, with the arithmetic of the target', async () => {
  const { samples, end } = await driven(virtualOrder(), answer)
  expect(end).toBe('measured')
  expect(new Set(samples.map((sample) => sample.index)).size).toBe(samples.length)
  for (const sample of measured(samples)) {
    const { tokens } = answer(sample.index)
    expect(sample).toMatchObject({ outcome: 'ok', contentEvents: tokens, outputTokens: tokens })
    expect((sample.firstContentAtMs ?? 0) - (sample.sentAtMs ?? 0)).toBeCloseTo(100, 9)
    expect((sample.lastContentAtMs ?? 0) - (sample.firstContentAtMs ?? 0)).toBeCloseTo((tokens - 1) * 20, 6)
  }
})

test('drive: content events in the window are counted once, over requests and over bins alike', async () => {
  const { samples, record } = await driven(virtualOrder(), answer)
  // Brute force: every event of every request, from its sample.
  const isInside = (atMs: number): boolean => atMs >= record.windowStartMs && atMs < record.windowEndMs
  let events = 0
  for (const sample of samples) {
    const inside = Array.from(
      { length: sample.contentEvents },
      (_, index) => (sample.firstContentAtMs ?? 0) + index * 20,
    ).filter(isInside).length
    expect(sample.contentEventsInWindow).toBe(inside)
    events += inside
  }
  expect(record.contentEventBins.counts.reduce((sum, count) => sum + count, 0)).toBe(events)
  expect(record.contentEventBins.counts).toHaveLength((record.windowEndMs - record.windowStartMs) / 100)
})

test('drive: gaps are those of measured requests, TTFT is not among them', async () => {
  const { samples, record } = await driven(virtualOrder(), answer)
  const gaps = mergedGapStatistics([record.gapHistogram])
  expect(gaps.count).toBe(measured(samples).reduce((sum, sample) => sum + sample.contentEvents - 1, 0))
  expect(gaps.percentileMs(100)).toBeCloseTo(20, 1)
  expect(record.gapsAreTokenGaps).toBe(true)
})

test('drive: two shards have disjoint indices and together the whole concurrency', async () => {
  const shards = await Promise.all(
    [0, 1].map((shard) =>
      driven(
        virtualOrder({ part: { shard, shards: 2 }, level: { batch: null, concurrency: 5, ratePerS: null } }),
        answer,
      ),
    ),
  )
  const indices = shards.flatMap(({ samples }) => samples.map((sample) => sample.index))
  expect(new Set(indices).size).toBe(indices.length)
  const inFlight = shards.map(({ progress }) => Math.max(...progress.map((snapshot) => snapshot.inFlight)))
  expect(inFlight).toEqual([3, 2])
})

test('drive: open loop counts what it drops, and a dropped arrival is a sample', async () => {
  const order = virtualOrder({
    level: { batch: null, concurrency: null, ratePerS: 10 },
    workload: {
      ...virtualOrder().workload,
      arrival: { ...virtualOrder().workload.arrival, process: 'constant' },
    },
    inFlightMax: 4,
  })
  const { samples, record } = await driven(order, () => ({ ttftMs: 100, tpotMs: 20, tokens: 35 }))
  const inWindow = measured(samples)
  expect(inWindow).toHaveLength(200)
  // Four are taken, the fifth to eighth find no place, the ninth comes after 0.8 s, when the first (0.78 s) has left.
  const dropped = inWindow.filter((sample) => sample.outcome === 'dropped')
  expect(dropped).toHaveLength(100)
  expect(dropped[0]).toMatchObject({ sentAtMs: null, dispatchedAtMs: null, errorCode: 'in_flight_max' })
  expect(record.readings.droppedArrivals).toBe(
    samples.filter((sample) => sample.outcome === 'dropped').length,
  )
})

test('drive: a request that outlives the drain limit is a timeout; what else is cut was cancelled', async () => {
  const { samples, end, clock } = await driven(virtualOrder(), (index) => ({
    ttftMs: 100,
    tpotMs: 20,
    tokens: index === 60 ? 100_000 : 40,
  }))
  expect(end).toBe('drain-limit')
  expect(clock.nowMs()).toBe(35_000)
  const cut = measured(samples).filter((sample) => sample.outcome !== 'ok')
  expect(cut.map(({ index, outcome, errorCode }) => ({ index, outcome, errorCode }))).toEqual([
    { index: 60, outcome: 'timeout', errorCode: 'drain_limit' },
  ])
  expect(
    samples.filter((sample) => sample.outcome === 'cancelled').every((sample) => sample.phase === 'tail'),
  ).toBe(true)
})

test('drive: an abort ends the load at that instant and leaves a record', async () => {
  const { end, samples, clock, record } = await driven(
    virtualOrder(),
    answer,
    async (_drive, clock, abort) => {
      await clock.sleepUntilMs(9000)
      abort.abort()
    },
  )
  expect(end).toBe('aborted')
  expect(clock.nowMs()).toBe(9000)
  expect(record.windowEndMs).toBe(9000)
  expect(samples.filter((sample) => sample.outcome === 'cancelled')).toHaveLength(8)
})

test('drive: the owner extends the window while it is open', async () => {
  let isExtended = false
  const { record } = await driven(virtualOrder(), answer, async (drive, clock) => {
    await clock.sleepUntilMs(20_000)
    isExtended = drive.extend(40_000)
  })
  expect(isExtended).toBe(true)
  expect(record.windowEndMs).toBe(40_000)
})

test('drive: progress carries every sample once and true counts', async () => {
  const { progress, samples } = await driven(virtualOrder(), answer)
  for (const [position, snapshot] of progress.entries()) {
    const carried = progress.slice(0, position + 1).flatMap((each) => each.samples).length
    expect(carried).toBe(snapshot.ended)
    expect(snapshot.started - snapshot.ended).toBe(snapshot.inFlight)
  }
  expect(progress.some((snapshot) => snapshot.inFlight === 8)).toBe(true)
  const steady = progress.filter((snapshot) => snapshot.phase === 'window')
  // 8 streams of a token every 20 ms, but for the 100 ms of TTFT in about 1.2 s.
  const meanPerS = steady.reduce((sum, snapshot) => sum + snapshot.contentEventsPerS, 0) / steady.length
  expect(meanPerS).toBeGreaterThan(340)
  expect(meanPerS).toBeLessThan(400)
  expect(steady.at(-1)?.ttftP50Ms).toBeCloseTo(100, 6)
  expect(steady.at(-1)?.tpotP50Ms).toBeCloseTo(20, 6)
  expect(samples.length).toBeGreaterThan(100)
})

test('drive: a target that fails at once is not asked again at once', async () => {
  const { samples } = await driven(virtualOrder(), () => ({
    ttftMs: 0,
    tpotMs: 0,
    tokens: 1,
    outcome: 'http_error',
  }))
  // 8 slots, 25 s, one request per 50 ms and slot.
  expect(samples.length).toBeLessThanOrEqual(8 * 25 * 20 + 8)
  expect(measured(samples).every((sample) => sample.outcome === 'http_error')).toBe(true)
})
