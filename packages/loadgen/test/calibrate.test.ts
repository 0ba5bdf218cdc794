import { expect, test } from 'vitest'
import { calibrate } from '../src/calibrate.ts'
import { type Clock, MonotonicClock } from '../src/clock.ts'
import { forkMetronome } from '../src/process/fork-metronome.ts'

test('calibration: reads the lag of this process; a clock that is 7 ms fast shows as 7 ms', async () => {
  const metronome = await forkMetronome()
  try {
    const clock = new MonotonicClock()
    const { streamPort } = metronome
    const punctual = await calibrate({ clock, streamPort, streams: 4 })
    expect(punctual).toMatchObject({ streams: 4, events: 4 * 40 })
    // Nothing is received before it is written.
    expect(punctual.lagP50Ms).toBeGreaterThan(0)
    expect(punctual.lagP95Ms).toBeGreaterThanOrEqual(punctual.lagP50Ms)
    const fast: Clock = {
      nowMs: () => clock.nowMs() + 7,
      sleepUntilMs: (atMs, signal) => clock.sleepUntilMs(atMs - 7, signal),
    }
    const late = await calibrate({ clock: fast, streamPort, streams: 4 })
    expect(late.lagP50Ms).toBeGreaterThan(7)
    // TTFT is a difference of our own stamps: a constant error of the clock is not in it.
    expect(late.ttftBiasMs).toBeLessThan(7)
  } finally {
    metronome.stop()
  }
})

test('calibration: a port where nobody beats is an error that says so', async () => {
  await expect(calibrate({ clock: new MonotonicClock(), streamPort: 1, streams: 1 })).rejects.toThrow(
    'calibration failed',
  )
})
