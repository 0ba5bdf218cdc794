import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MonotonicClock } from '../../src/clock.ts'
import { forkLoadProcess } from '../../src/process/fork.ts'
import { forkMetronome } from '../../src/process/fork-metronome.ts'
import { endless, loadOrder } from './load-order.ts'

const minutes = Number(process.env['LOADCURVE_SOAK_MINUTES'] ?? 10)
/** Longer than the test: the step is ended by the owner. */
const windowMs = (minutes + 5) * 60_000
const streams = 500
const pageMb = 4096 / 2 ** 20

/** Resident memory of a process, MB (Linux). */
function residentMb(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageMb
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

// The young generation and the pools fill up first; what counts is that nothing grows afterwards.
test.runIf(process.platform === 'linux')(
  `load process: memory is flat over ${minutes} minutes at ${streams} streams`,
  async () => {
    const metronome = await forkMetronome()
    const order = loadOrder(
      `http://127.0.0.1:${metronome.streamPort}/streams/${streams}/events/250/every/20`,
      {
        level: { batch: null, concurrency: streams, ratePerS: null },
        window: { ...endless, durationMs: windowMs, maxMs: windowMs },
        calibrate: true,
      },
    )
    const resident: number[] = []
    let events = 0
    const load = forkLoadProcess({
      order,
      env: {},
      onProgress: ({ contentEventsPerS }) => {
        events += contentEventsPerS / 4
        if (load.pid !== undefined) resident.push(residentMb(load.pid))
      },
    })
    await load.ready
    load.go(new MonotonicClock().nowMs())
    await new Promise((resolve) => setTimeout(resolve, minutes * 60_000))
    load.abort()
    const result = await load.result
    metronome.stop()
    expect(result).toMatchObject({ end: 'aborted' })
    const fifth = Math.floor(resident.length / 5)
    const early = median(resident.slice(fifth, 2 * fifth))
    const late = median(resident.slice(-fifth))
    console.log(
      `${Math.round(events)} events, ${early.toFixed(0)} MB in the second fifth, ${late.toFixed(0)} MB in the last`,
    )
    expect(events).toBeGreaterThan(minutes * 60 * streams * 10)
    expect(late).toBeLessThan(1.1 * early)
  },
)
