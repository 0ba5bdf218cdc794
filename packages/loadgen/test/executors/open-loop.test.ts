import { setMaxListeners } from 'node:events'
import { type ArrivalProcess, arrivals, constantArrivals } from '@loadcurve/core/load/arrivals'
import { dealSchedule } from '@loadcurve/core/load/split'
import { seededRandom } from '@loadcurve/core/random'
import { expect, test } from 'vitest'
import type { Dispatch } from '../../src/executors/closed-loop.ts'
import { type Arrival, runOpenLoop } from '../../src/executors/open-loop.ts'
import { StepWindow, type WindowRules } from '../../src/step-window.ts'
import { VirtualClock } from '../../src/virtual-clock.ts'

const hourMs = 3_600_000
const rules = (changes: Partial<WindowRules> = {}): WindowRules => ({
  warmup: { durationMs: 0, endedMin: 0, maxMs: 0 },
  durationMs: hourMs,
  requestsMin: 0,
  maxMs: 2 * hourMs,
  drainMaxMs: 60_000,
  ...changes,
})

function* schedule(offsetsMs: Iterable<number>): Generator<Arrival> {
  let index = 0
  for (const atMs of offsetsMs) yield { index: index++, atMs }
}

interface Load {
  readonly sent: { readonly dispatch: Dispatch; readonly atMs: number }[]
  readonly dropped: Dispatch[]
  readonly window: StepWindow
  readonly endAtMs: number
}

async function load(options: {
  arrivals: Iterable<Arrival>
  residenceMs: number
  inFlightMax?: number
  windowRules?: WindowRules
  stopAtMs?: number
}): Promise<Load> {
  const clock = new VirtualClock()
  const window = new StepWindow(options.windowRules ?? rules())
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const load: Load = { sent: [], dropped: [], window, endAtMs: 0 }
  const stopping =
    options.stopAtMs === undefined ? undefined : clock.sleepUntilMs(options.stopAtMs).then(() => stop.abort())
  const running = runOpenLoop({
    clock,
    window,
    arrivals: options.arrivals,
    inFlightMax: options.inFlightMax ?? 1_000_000,
    stopped: stop.signal,
    drop: (dispatch) => load.dropped.push(dispatch),
    send: async (dispatch) => {
      load.sent.push({ dispatch, atMs: clock.nowMs() })
      await clock.sleepUntilMs(clock.nowMs() + options.residenceMs, stop.signal)
      window.ended(dispatch.phase, clock.nowMs())
      if (window.end !== null) stop.abort()
    },
  })
  await clock.run(Promise.all([running, stopping]))
  return { ...load, endAtMs: clock.nowMs() }
}

test('open loop: past inFlightMax arrivals are dropped and counted, and the schedule holds', async () => {
  const { sent, dropped } = await load({
    arrivals: schedule(constantArrivals(10)),
    residenceMs: 1000,
    inFlightMax: 5,
  })
  const measured = sent.filter((it) => it.dispatch.phase === 'window')
  const droppedInWindow = dropped.filter((it) => it.phase === 'window')
  expect(measured.length + droppedInWindow.length).toBe(36_000)
  // Offered 10/s of 1 s each into 5 places: half must be turned away.
  expect(droppedInWindow.length / 36_000).toBeCloseTo(0.5, 2)
  for (const { dispatch, atMs } of sent) expect(atMs).toBe(dispatch.scheduledAtMs)
})

test('open loop: a constant rate is kept exactly for an hour, with no drift', async () => {
  const { sent } = await load({ arrivals: schedule(constantArrivals(7)), residenceMs: 300 })
  const measured = sent.filter((it) => it.dispatch.phase === 'window')
  expect(measured).toHaveLength(25_200)
  expect(measured.at(-1)?.atMs).toBeCloseTo((25_199 * 1000) / 7, 6)
})

/** Variance over mean of the counts per second: 1 for a Poisson process. */
function dispersion(instantsMs: readonly number[], seconds: number): number {
  const counts = new Array<number>(seconds).fill(0)
  for (const atMs of instantsMs) counts[Math.floor(atMs / 1000)] = (counts[Math.floor(atMs / 1000)] ?? 0) + 1
  const mean = instantsMs.length / seconds
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (seconds - 1) / mean
}

const processes: [ArrivalProcess, number, number][] = [
  // Index of dispersion of counts; 3600 seconds give a standard deviation of sqrt(2 / 3599) = 0.024.
  [{ process: 'poisson', ratePerS: 10 }, 1, 0.1],
  // A renewal process tends to cv^2 over long intervals; a gap is 0.1 s, so one second is nearly long enough.
  [{ process: 'gamma', ratePerS: 10, cv: 0.5 }, 0.25, 0.1],
  [{ process: 'constant', ratePerS: 10 }, 0, 1e-9],
]

test.each(processes)(
  'open loop: %o keeps its dispersion, also when two shards send it',
  async (process, index, tolerance) => {
    const instants: number[] = []
    for (const shard of [0, 1]) {
      const offsets = dealSchedule(arrivals(process, seededRandom(11, 'arrivals')), { shard, shards: 2 })
      const part = function* (): Generator<Arrival> {
        for (const { index, value } of offsets) yield { index, atMs: value }
      }
      const { sent } = await load({ arrivals: part(), residenceMs: 200 })
      instants.push(...sent.filter((it) => it.dispatch.phase === 'window').map((it) => it.atMs))
    }
    expect(Math.abs(dispersion(instants, 3600) - index)).toBeLessThanOrEqual(tolerance)
  },
)

test('open loop: two shards send every index of the schedule exactly once', async () => {
  const indices: number[] = []
  for (const shard of [0, 1]) {
    const part = function* (): Generator<Arrival> {
      for (const { index, value } of dealSchedule(constantArrivals(100), { shard, shards: 2 }))
        yield { index, atMs: value }
    }
    const { sent } = await load({
      arrivals: part(),
      residenceMs: 50,
      windowRules: rules({ durationMs: 10_000 }),
    })
    indices.push(...sent.filter((it) => it.dispatch.phase === 'window').map((it) => it.dispatch.index))
  }
  expect(indices.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index))
})

test('open loop: a ramp sends as many requests as the area under its rate', async () => {
  const ramp = arrivals({ process: 'ramp', fromPerS: 0, toPerS: 20, rampMs: hourMs }, seededRandom(3))
  const { sent } = await load({ arrivals: schedule(ramp), residenceMs: 100 })
  const measured = sent.filter((it) => it.dispatch.phase === 'window').length
  // The mean is 36,000 and a Poisson count has that variance.
  expect(Math.abs(measured - 36_000)).toBeLessThan(4 * Math.sqrt(36_000))
})

test('open loop: a trace is replayed at its instants, and its end closes the window', async () => {
  const offsetsMs = [0, 10, 10, 400, 2500]
  const trace = arrivals({ process: 'trace', offsetsMs, repeat: false }, seededRandom(1))
  const { sent, window, endAtMs } = await load({ arrivals: schedule(trace), residenceMs: 700 })
  expect(sent.map((it) => it.atMs)).toEqual(offsetsMs)
  expect(sent.every((it) => it.dispatch.phase === 'window')).toBe(true)
  expect(window.closedAtMs).toBe(2500)
  expect(endAtMs).toBe(3200)
})

test('open loop: a server that hangs fills the places, then arrivals are dropped until the drain limit', async () => {
  const clock = new VirtualClock()
  const window = new StepWindow(rules({ durationMs: 10_000, drainMaxMs: 3000 }))
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  let dropped = 0
  const running = runOpenLoop({
    clock,
    window,
    arrivals: schedule(constantArrivals(10)),
    inFlightMax: 8,
    stopped: stop.signal,
    drop: ({ phase }) => {
      if (phase === 'window') dropped++
    },
    send: ({ phase }) =>
      clock
        .sleepUntilMs(Number.POSITIVE_INFINITY, stop.signal)
        .then(() => window.ended(phase, clock.nowMs())),
  })
  const watch = async (): Promise<void> => {
    while (window.end === null) {
      await clock.sleepUntilMs(clock.nowMs() + 100)
      window.advance(clock.nowMs())
    }
    stop.abort()
  }
  await clock.run(Promise.all([running, watch()]))
  expect(window.end).toBe('drain-limit')
  expect(dropped).toBe(92)
  expect(clock.nowMs()).toBe(13_000)
})

test('open loop: stopped between two arrivals it ends at once', async () => {
  const { sent, endAtMs } = await load({
    arrivals: schedule(constantArrivals(0.1)),
    residenceMs: 100,
    stopAtMs: 15_000,
  })
  expect(sent).toHaveLength(2)
  expect(endAtMs).toBe(15_000)
})
