import { closedLoopReplay } from '@loadcurve/core/capacity/calibration'
import { decodeKnots, decodeTable } from '@loadcurve/core/capacity/decode-knots'
import { meanOf } from '@loadcurve/core/capacity/simulate/latencies'
import { describe, expect, test } from 'vitest'
import { column, engineOf, linearLaw } from './law-fixture.ts'
import { poissonTraffic, SILENT } from './traffic-fixture.ts'

// Long prompts and short answers: 450 ms of work for 200 steps of 10 ms, so a batch sees the prefill of others all the time.
const law = linearLaw({ prefillMs: { p0: 460, p1: 0, p2: 0 }, slopeMs: 0.5 + 450 / 200 })
const engine = engineOf({}, law)
const points = [1, 2, 4, 8, 16, 32].map((concurrency) => {
  const twin = closedLoopReplay(engine, poissonTraffic(), { clients: concurrency, noise: SILENT, seed: 3 })
  return {
    concurrency,
    decodeBatch: twin.decodeBatch,
    requestsPerS: twin.requestsPerS,
    ttftMs: column({ mean: meanOf(twin.latencies.ttft) }),
    tpotMs: column({ mean: meanOf(twin.latencies.tpot) }),
  }
})
const server = { outputTokens: 201, workMs: 450, slots: 32 }

describe('decode knots', () => {
  test('the engine’s own decode steps come back out of a closed loop', () => {
    const table = decodeTable(decodeKnots(points, server), engine.decodeMs)
    for (const batch of [1, 2, 4, 8, 16, 30]) {
      expect(Math.abs((table[batch] ?? 0) / (engine.decodeMs[batch] ?? 1) - 1)).toBeLessThan(0.08)
    }
  })

  test('one client alone: no prefill but its own, so its TPOT is the step of one', () => {
    const [first] = decodeKnots(points, server)
    expect(first).toEqual({ batch: 1, stepMs: points[0]?.tpotMs.mean })
  })

  test('levels that contradict each other are pooled: the table never falls', () => {
    const dirty = points.map((point, index) => ({
      ...point,
      tpotMs: column({ mean: (point.tpotMs.mean ?? 0) * (index === 1 ? 1.3 : 1) }),
    }))
    const table = decodeTable(decodeKnots(dirty, server), engine.decodeMs)
    expect([...table]).toEqual([...table].sort((left, right) => left - right))
  })

  test('beyond the last level the fitted increments go on; towards an empty engine the first line, boundedly', () => {
    const knots = [
      { batch: 1, stepMs: 10 },
      { batch: 2, stepMs: 19 },
    ]
    const table = decodeTable(knots, Float64Array.of(8, 9, 10, 11, 13))
    expect([...table]).toEqual([5, 10, 19, 20, 22])
    const single = decodeTable([{ batch: 2, stepMs: 20 }], Float64Array.of(8, 9, 10))
    expect([...single]).toEqual([20, 20, 20])
  })

  test('a level without latencies, or whose prefill explains more than its TPOT, gives no knot', () => {
    const empty = { ...(points[2] ?? points[0]), tpotMs: column() } as (typeof points)[number]
    expect(decodeKnots([empty], server)).toEqual([])
    expect(decodeKnots(points.slice(3, 4), { ...server, workMs: 5000 })).toEqual([])
  })
})
