import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ClosedLoop, type Dispatch, runClosedLoop } from '../../src/executors/closed-loop.ts'
import { StepWindow, type WindowRules } from '../../src/step-window.ts'
import { VirtualClock } from '../../src/virtual-clock.ts'

interface Sent extends Dispatch {
  readonly startAtMs: number
  endAtMs: number | null
}

const hourMs = 3_600_000
const rules = (changes: Partial<WindowRules> = {}): WindowRules => ({
  warmup: { durationMs: 2000, endedMin: 0, maxMs: 2000 },
  durationMs: 10_000,
  requestsMin: 0,
  maxMs: hourMs,
  drainMaxMs: 5000,
  ...changes,
})

/** A server that answers each request after its residence; requests in flight at the stop are cut. */
async function load(
  { slots, staggerMs = 0, thinkMs = 0, residenceMs, windowRules = rules() }: LoadOptions,
  act: (clock: VirtualClock, stop: AbortController) => Promise<void> = async () => {},
): Promise<{ sent: Sent[]; window: StepWindow; clock: VirtualClock }> {
  const clock = new VirtualClock()
  const window = new StepWindow(windowRules)
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const sent: Sent[] = []
  const loop: ClosedLoop = {
    clock,
    window,
    slots,
    staggerMs,
    thinkTimeMs: () => thinkMs,
    stopped: stop.signal,
    send: async (dispatch) => {
      const request: Sent = { ...dispatch, startAtMs: clock.nowMs(), endAtMs: null }
      sent.push(request)
      await clock.sleepUntilMs(request.startAtMs + residenceMs(dispatch.index), stop.signal)
      if (!stop.signal.aborted) request.endAtMs = clock.nowMs()
      window.ended(dispatch.phase, clock.nowMs())
      if (window.end !== null) stop.abort()
    },
  }
  await clock.run(Promise.all([runClosedLoop(loop), act(clock, stop)]))
  return { sent, window, clock }
}

interface LoadOptions {
  readonly slots: number
  readonly staggerMs?: number
  readonly thinkMs?: number
  readonly residenceMs: (index: number) => number
  readonly windowRules?: WindowRules
}

/** Mean requests in flight over the window: the sweep line, by brute force. */
function meanInFlight(sent: readonly Sent[], window: StepWindow): number {
  const closedAtMs = window.closedAtMs ?? Number.NaN
  const overlapMs = (request: Sent): number =>
    Math.max(
      0,
      Math.min(request.endAtMs ?? closedAtMs, closedAtMs) - Math.max(request.startAtMs, window.openAtMs),
    )
  return sent.reduce((sum, request) => sum + overlapMs(request), 0) / (closedAtMs - window.openAtMs)
}

test('closed loop: every slot always has a request in flight, from before the window to after it', async () => {
  const { sent, window } = await load({
    slots: 16,
    staggerMs: 900,
    residenceMs: (index) => 700 + (index % 7) * 100,
  })
  expect(meanInFlight(sent, window)).toBeCloseTo(16, 9)
})

test('closed loop: the first requests are spread over the stagger', async () => {
  const { sent } = await load({ slots: 4, staggerMs: 1000, residenceMs: () => 5000 })
  expect(sent.slice(0, 4).map((request) => request.startAtMs)).toEqual([0, 250, 500, 750])
})

test('closed loop: exactly the requests that start inside the window are measured, and all of them end', async () => {
  const { sent, window } = await load({
    slots: 8,
    staggerMs: 500,
    residenceMs: (index) => 300 + (index % 11) * 80,
  })
  expect([window.openAtMs, window.closedAtMs, window.end]).toEqual([2000, 12_000, 'measured'])
  for (const request of sent) {
    const isInside = request.startAtMs >= 2000 && request.startAtMs < 12_000
    expect(request.phase === 'window').toBe(isInside)
    if (isInside) expect(request.endAtMs).not.toBeNull()
  }
})

test('closed loop: load goes on until the last measured request has ended, and stops at that instant', async () => {
  const { sent, clock } = await load({
    slots: 8,
    staggerMs: 500,
    residenceMs: (index) => 300 + (index % 11) * 80,
  })
  const lastEndMs = Math.max(...sent.filter((it) => it.phase === 'window').map((it) => it.endAtMs ?? 0))
  expect(clock.nowMs()).toBe(lastEndMs)
  const tail = sent.filter((request) => request.phase === 'tail')
  // At the end seven slots are still busy with untagged requests: the last measured one finished in a full server.
  expect(tail.filter((request) => request.endAtMs === null)).toHaveLength(7)
})

test('closed loop: with think time the slots rest, N = X (R + Z)', async () => {
  const { sent, window } = await load({ slots: 10, staggerMs: 1000, thinkMs: 600, residenceMs: () => 400 })
  // In flight for 400 of every 1000 ms.
  expect(meanInFlight(sent, window)).toBeCloseTo(4, 9)
  expect(window.measuredCount).toBe(100)
})

test('closed loop: a window of K requests measures exactly K', async () => {
  const windowRules = rules({
    warmup: { durationMs: 0, endedMin: 8, maxMs: hourMs },
    durationMs: 0,
    requestsMin: 50,
  })
  const { sent, window } = await load({
    slots: 8,
    staggerMs: 300,
    residenceMs: (index) => 300 + (index % 5) * 90,
    windowRules,
  })
  expect(sent.filter((request) => request.phase === 'window')).toHaveLength(50)
  expect(window.measuredCount).toBe(50)
})

test('closed loop: stopped from outside, no request starts afterwards', async () => {
  const { sent } = await load({ slots: 8, residenceMs: () => 300, thinkMs: 50 }, async (clock, stop) => {
    await clock.sleepUntilMs(4321)
    stop.abort()
  })
  expect(Math.max(...sent.map((request) => request.startAtMs))).toBeLessThan(4321)
})

test('closed loop: an hour with 64 slots keeps 64 in flight', async () => {
  const windowRules = rules({ durationMs: hourMs, warmup: { durationMs: 5000, endedMin: 0, maxMs: 5000 } })
  const { sent, window } = await load({
    slots: 64,
    staggerMs: 4000,
    residenceMs: (index) => 4000 + (index % 13) * 500,
    windowRules,
  })
  expect(meanInFlight(sent, window)).toBeCloseTo(64, 6)
})

test('closed loop: in-flight never exceeds the slots, for any residences (property)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 12 }),
      async (residences, slots) => {
        const { sent } = await load({
          slots,
          residenceMs: (index) => residences[index % residences.length] ?? 1,
        })
        const edges = sent.flatMap((it) => [
          { atMs: it.startAtMs, change: 1 },
          { atMs: it.endAtMs ?? Number.POSITIVE_INFINITY, change: -1 },
        ])
        edges.sort((a, b) => a.atMs - b.atMs || a.change - b.change)
        let inFlight = 0
        for (const edge of edges) {
          inFlight += edge.change
          expect(inFlight).toBeLessThanOrEqual(slots)
        }
      },
    ),
    { numRuns: 30, seed: 5 },
  )
})
