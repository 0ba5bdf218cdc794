import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Sample } from '@loadcurve/core/metrics/sample'
import { type RunningSimulator, startSimulator } from '@loadcurve/sim/http-server/server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MonotonicClock } from '../../src/clock.ts'
import { forkLoadProcess, type LoadProcess } from '../../src/process/fork.ts'
import type { DriveResult, Progress, StepOrder } from '../../src/step-order.ts'
import { endless, holdsWithin, isAlive, loadOrder } from './load-order.ts'

const clock = new MonotonicClock()
const started: LoadProcess[] = []
let simulator: RunningSimulator

beforeEach(async () => {
  simulator = await startSimulator({ preset: 'small', maxNumSeqs: 64, speed: 2 })
})

afterEach(async () => {
  await simulator.close()
  for (const { pid } of started.splice(0)) {
    // Nothing left behind, whatever the test did.
    expect(pid !== undefined && (await holdsWithin(2500, () => !isAlive(pid)))).toBe(true)
  }
})

function forked(order: StepOrder, onProgress: (progress: Progress) => void = () => {}): LoadProcess {
  const load = forkLoadProcess({ order, env: {}, onProgress })
  started.push(load)
  return load
}

async function driven(order: StepOrder): Promise<DriveResult> {
  const load = forked(order)
  expect(await load.ready).not.toHaveProperty('end')
  load.go(clock.nowMs() + 20)
  const result = await load.result
  if (result.end === 'failed') throw new Error(`${result.code}: ${result.message}`)
  return result
}

const measured = (samples: readonly Sample[]) => samples.filter((sample) => sample.phase === 'window')

/** Sweep line over the requests that were sent, clipped to the window. */
function meanInFlight({ record }: DriveResult): number {
  const { windowStartMs, windowEndMs, samples } = record
  let areaMs = 0
  for (const { sentAtMs, closedAtMs } of samples) {
    if (sentAtMs === null) continue
    areaMs += Math.max(
      0,
      Math.min(closedAtMs ?? windowEndMs, windowEndMs) - Math.max(sentAtMs, windowStartMs),
    )
  }
  return areaMs / (windowEndMs - windowStartMs)
}

/** Mean gap of a sequence by least squares: one late send does not tilt it as it tilts the difference of the ends. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const spread = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return values.reduce((sum, value, index) => sum + (index - middle) * value, 0) / spread
}

test('load process: measures exactly the requests it was told to, and the server saw the same', async () => {
  const startAtMs = clock.nowMs()
  const { record, end } = await driven(loadOrder(simulator.url))
  expect(end).toBe('measured')
  expect(measured(record.samples)).toHaveLength(40)
  expect(measured(record.samples).every((sample) => sample.outcome === 'ok')).toBe(true)
  const seen = simulator.simulation.requests.between(startAtMs, clock.nowMs())
  const ok = record.samples.filter((sample) => sample.outcome === 'ok').length
  const cut = record.samples.filter((sample) => sample.outcome === 'cancelled').length
  // What was cut at the end may have been complete on the server's side.
  const answered = seen.filter((request) => request.outcome === 'ok').length
  expect(answered).toBeGreaterThanOrEqual(ok)
  expect(answered).toBeLessThanOrEqual(ok + cut)
})

test('load process: achieved concurrency is within 1 % of nominal', async () => {
  const order = loadOrder(simulator.url, { level: { batch: null, concurrency: 16, ratePerS: null } })
  const { workload } = order
  // About two seconds per answer: the milliseconds between an answer and the next request must not decide.
  const outputTokens = { ...workload.outputTokens, mean: 160, stdev: 40 }
  const result = await driven({ ...order, workload: { ...workload, outputTokens } })
  expect(Math.abs(meanInFlight(result) / 16 - 1)).toBeLessThan(0.01)
})

test('load process: a constant rate is kept within 0.5 %', async () => {
  const order = loadOrder(simulator.url, {
    level: { batch: null, concurrency: null, ratePerS: 40 },
    // A cold process is late at first; a step has a warm-up for that.
    window: {
      ...endless,
      warmup: { durationMs: 1000, endedMin: 0, maxMs: 1000 },
      durationMs: 5000,
      maxMs: 5000,
    },
  })
  const { workload } = order
  const result = await driven({
    ...order,
    workload: { ...workload, arrival: { ...workload.arrival, process: 'constant' } },
  })
  const inOrder = measured(result.record.samples).sort((a, b) => a.index - b.index)
  const sent = inOrder.map((sample) => sample.sentAtMs ?? Number.NaN)
  expect(sent).toHaveLength(200)
  expect(Math.abs(slope(sent) / 25 - 1)).toBeLessThan(0.005)
})

test('load process: two of them share a step, every index once and all of the schedule', async () => {
  const orders = [0, 1].map((shard) =>
    loadOrder(simulator.url, {
      part: { shard, shards: 2 },
      level: { batch: null, concurrency: null, ratePerS: 50 },
      window: { ...endless, durationMs: 2000, maxMs: 2000 },
    }),
  )
  const results = await Promise.all(orders.map(driven))
  const indices = results.flatMap(({ record }) => measured(record.samples).map((sample) => sample.index))
  const sorted = indices.sort((a, b) => a - b)
  expect(sorted).toEqual(Array.from({ length: sorted.length }, (_, index) => index))
  // The schedule is Poisson: 100 expected, 4 standard deviations.
  expect(Math.abs(sorted.length - 100)).toBeLessThan(40)
})

test('load process: an abort ends the load within a second and still brings a record', async () => {
  const load = forked(loadOrder(simulator.url, { window: endless }))
  await load.ready
  load.go(clock.nowMs())
  await holdsWithin(10_000, () => simulator.simulation.requests.between(0, Infinity).length > 8)
  const abortedAtMs = clock.nowMs()
  load.abort()
  const result = await load.result
  expect(clock.nowMs() - abortedAtMs).toBeLessThan(1000)
  expect(result).toMatchObject({ end: 'aborted' })
  const afterwards = simulator.simulation.requests
    .between(0, Infinity)
    .filter((it) => it.arrivedAtMs > abortedAtMs + 1000)
  expect(afterwards).toEqual([])
})

test('load process: kill -9 of its owner ends the load within 2 s', async () => {
  const owner = fork(fileURLToPath(new URL('./owner-fixture.mjs', import.meta.url)), [], { execArgv: [] })
  owner.send(loadOrder(simulator.url, { window: endless, staggerMs: 0 }))
  const [{ pid }] = (await once(owner, 'message')) as [{ pid: number }]
  const { requests } = simulator.simulation
  expect(await holdsWithin(10_000, () => requests.between(0, Infinity).length > 8)).toBe(true)
  owner.kill('SIGKILL')
  const killedAtMs = clock.nowMs()
  expect(await holdsWithin(2000, () => !isAlive(pid))).toBe(true)
  expect(
    await holdsWithin(2000, () => requests.between(0, Infinity).every((it) => it.endedAtMs !== null)),
  ).toBe(true)
  expect(requests.between(0, Infinity).filter((it) => it.arrivedAtMs > killedAtMs + 2000)).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'load process: kill -9 of it takes its metronome along',
  async () => {
    const load = forked(loadOrder(simulator.url, { calibrate: true }))
    await load.ready
    const children = readFileSync(`/proc/${load.pid}/task/${load.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .map(Number)
    expect(children).toHaveLength(1)
    load.kill()
    await load.result
    expect(await holdsWithin(2000, () => !children.some(isAlive))).toBe(true)
  },
)

test('load process: kill -9 of the load process is a failure with a code, for its owner to see', async () => {
  const load = forked(loadOrder(simulator.url, { window: endless }))
  await load.ready
  load.go(clock.nowMs())
  load.kill()
  expect(await load.result).toMatchObject({ end: 'failed', code: 'load-process-died' })
})

test('load process: what cannot be driven is told before the start, in a sentence and with a code', async () => {
  const order = loadOrder(simulator.url)
  const keyed = forked({ ...order, target: { ...order.target, apiKeyRef: 'prod' } })
  await keyed.ready
  keyed.go(clock.nowMs())
  expect(await keyed.result).toMatchObject({
    end: 'failed',
    code: 'target-key-missing',
    message: expect.stringContaining('LOADCURVE_TARGET_KEY_PROD'),
  })
  const empty = forked({ ...order, window: { ...order.window, requestsMin: 0 } })
  await empty.ready
  empty.go(clock.nowMs())
  expect(await empty.result).toMatchObject({ end: 'failed', code: 'order-invalid' })
})

test('load process: it is calibrated and measured while it drives', async () => {
  const load = forked(loadOrder(simulator.url, { calibrate: true }))
  const ready = await load.ready
  expect(ready).toMatchObject({ calibration: { streams: 8, events: 8 * 40 } })
  load.go(clock.nowMs())
  const result = await load.result
  if (result.end === 'failed') throw new Error(result.message)
  const { readings } = result.record
  expect(readings.receiveLagP99Ms).toBeGreaterThan(0)
  expect(readings.cpuUsPerEvent).toBeGreaterThan(0)
  expect(readings.connectionsOpened).toBe(8)
  expect(readings.calibration).toEqual('calibration' in ready ? ready.calibration : null)
})
