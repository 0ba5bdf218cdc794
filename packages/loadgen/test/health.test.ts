import { afterEach, beforeEach, expect, test } from 'vitest'
import { MonotonicClock } from '../src/clock.ts'
import { HealthMonitor } from '../src/health.ts'
import { forkMetronome, type MetronomeProcess } from '../src/process/fork-metronome.ts'

const clock = new MonotonicClock()
let metronome: MetronomeProcess

beforeEach(async () => {
  metronome = await forkMetronome()
})

afterEach(() => metronome.stop())

function block(ms: number): void {
  const untilMs = clock.nowMs() + ms
  while (clock.nowMs() < untilMs);
}

/** Blocks the event loop again and again, and hands back what the monitor saw. */
async function readingsWhile(blockMs: number, beatPort: number | null) {
  const health = new HealthMonitor(clock)
  await health.start(beatPort)
  for (let turn = 0; turn < 20; turn++) {
    await clock.sleepUntilMs(clock.nowMs() + 20)
    block(blockMs)
  }
  health.stop()
  return health.readings()
}

test('health: a loop that is blocked again and again shows in beats and in the loop’s delay', async () => {
  const readings = await readingsWhile(60, metronome.beatPort)
  // A beat that comes during a pause of 60 ms waits for the rest of it; the latest hundredth waits nearly all of it.
  expect(readings.receiveLagP99Ms).toBeGreaterThan(40)
  expect(readings.eventLoopDelayP99Ms).toBeGreaterThan(40)
  expect(readings.cpuFraction).toBeGreaterThan(0.05)
})

test('health: without a metronome the receive lag is that of batches, and unknown when nothing came', async () => {
  const health = new HealthMonitor(clock)
  await health.start(null)
  expect(health.readings().receiveLagP99Ms).toBeNull()
  health.onBatchLag(0)
  health.onBatchLag(7)
  // Buckets grow by 2 %.
  expect(health.readings().receiveLagP99Ms).toBeGreaterThanOrEqual(7)
  expect(health.readings().receiveLagP99Ms).toBeLessThan(7.15)
  health.reset()
  expect(health.readings().receiveLagP99Ms).toBeNull()
  health.stop()
})

test('health: a metronome that is gone stops nothing', async () => {
  metronome.stop()
  const health = new HealthMonitor(clock)
  await health.start(metronome.beatPort)
  expect(health.readings().cpuFraction).toBeGreaterThanOrEqual(0)
  health.stop()
})

test('health: a rare pause counts for the chunks that it held up, not for its share of the time', async () => {
  const health = new HealthMonitor(clock)
  await health.start(metronome.beatPort)
  // One pause of 20 ms in three seconds is less than a hundredth of the beats. The one burst that came in it is a tenth
  // of all chunks.
  for (let turn = 0; turn < 10; turn++) {
    await clock.sleepUntilMs(clock.nowMs() + 300)
    if (turn === 5) block(20)
    // The loop reads the beats that waited after this timer, and only then is the turn over.
    for (let chunk = 0; chunk < 50; chunk++) health.onBatchLag(0)
  }
  health.stop()
  expect(health.readings().receiveLagP99Ms).toBeGreaterThan(12)
})
