import { judgeGenerator, judgeGenerators, worstReadings } from '@loadcurve/core/metrics/generator-health'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { healthyReadings } from './records.ts'

const step = { loop: 'open' as const, ttftMs: 200 }
const reasons = (changes: object, loop: 'open' | 'closed' = 'open') =>
  judgeGenerator({ ...healthyReadings, ...changes }, { ...step, loop }).reasons

test('generator health: calm readings are healthy', () => {
  expect(judgeGenerator(healthyReadings, step)).toEqual({ healthy: true, reasons: [], lagLimitMs: 5 })
})

test('generator health: the limit is the smaller of 5 ms and 5 % of TTFT', () => {
  const limit = (ttftMs: number | null) => judgeGenerator(healthyReadings, { ...step, ttftMs }).lagLimitMs
  expect([1_000, 100, 40, null].map(limit)).toEqual([5, 5, 2, 5])
})

test('generator health: no rung whose lag passes 5 % of TTFT or 5 ms is called healthy', () => {
  const still = { ...healthyReadings, eventLoopDelayP99Ms: 0, dispatchSkewP99Ms: 0 }
  const reading = fc.double({ min: 0, max: 50, noNaN: true })
  fc.assert(
    fc.property(fc.double({ min: 1, max: 2_000, noNaN: true }), reading, reading, (ttftMs, lagMs, biasMs) => {
      const calibration = { streams: 1, events: 1, lagP50Ms: 0, lagP95Ms: 0, lagP99Ms: 0, ttftBiasMs: biasMs }
      const worst = Math.max(lagMs, biasMs)
      const passes = worst > 5 || worst > 0.05 * ttftMs
      const readings = { ...still, receiveLagP99Ms: lagMs, calibration }
      expect(judgeGenerator(readings, { ...step, ttftMs }).healthy).toBe(!passes)
    }),
    { seed: 8 },
  )
})

test('generator health: a tail in the calibration counts only where the step’s own lag was not measured', () => {
  const calibration = { streams: 8, events: 320, lagP50Ms: 0.3, lagP95Ms: 1, lagP99Ms: 30, ttftBiasMs: 0.5 }
  expect(reasons({ calibration, receiveLagP99Ms: 0.4 })).toEqual([])
  expect(reasons({ calibration, receiveLagP99Ms: null })).toEqual(['calibration-lag'])
  expect(reasons({ calibration: { ...calibration, ttftBiasMs: 6 } })).toEqual(['calibration-lag'])
})

test('generator health: each kind of lateness has its code', () => {
  expect(reasons({ receiveLagP99Ms: 5.1 })).toEqual(['receive-lag'])
  expect(reasons({ dispatchSkewP99Ms: 6 })).toEqual(['dispatch-skew'])
  expect(reasons({ dispatchSkewP99Ms: 6 }, 'closed')).toEqual([])
  expect(reasons({ cpuFraction: 0.95 })).toEqual(['cpu-saturated'])
  expect(reasons({ droppedArrivals: 1 })).toEqual(['arrivals-dropped'])
  expect(reasons({ parseQueuePeakBytes: 1e9 })).toEqual(['parse-queue-full'])
})

test('generator health: lag at a low CPU share is seen all the same', () => {
  expect(reasons({ receiveLagP99Ms: 86, cpuFraction: 0.3 })).toEqual(['receive-lag'])
})

test('generator health: the event loop decides alone where receive lag is unknown', () => {
  expect(reasons({ eventLoopDelayP99Ms: 6, receiveLagP99Ms: null })).toEqual(['event-loop-delay'])
  expect(reasons({ eventLoopDelayP99Ms: 6, receiveLagP99Ms: 0.3 })).toEqual([])
  expect(reasons({ eventLoopDelayP99Ms: 21, receiveLagP99Ms: 0.3 })).toEqual(['event-loop-delay'])
})

test('generator health: a step is as healthy as its worst load process, and unknown is not healthy', () => {
  const late = { ...healthyReadings, receiveLagP99Ms: 9, droppedArrivals: 2 }
  expect(judgeGenerators([healthyReadings, late], step).reasons).toEqual(['receive-lag', 'arrivals-dropped'])
  expect(judgeGenerators([], step)).toMatchObject({ healthy: false, reasons: ['readings-missing'] })
  const worst = worstReadings([
    healthyReadings,
    late,
    { ...healthyReadings, receiveLagP99Ms: null, droppedArrivals: 3 },
  ])
  expect(worst).toMatchObject({ receiveLagP99Ms: 9, droppedArrivals: 5, connectionsOpened: 3 })
  expect(worstReadings([])).toBeNull()
})
