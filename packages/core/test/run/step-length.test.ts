import { guessResidenceMs, type MeasuredResidence, stepLength } from '@loadcurve/core/run/step-length'
import { expect, test } from 'vitest'

const rules = {
  residences: 5,
  warmupResidences: 1.5,
  minDurationS: 10,
  maxDurationS: 60,
  maxWarmupS: 30,
  drainLimitS: 40,
  minRequests: 60,
}
const closed = (concurrency: number) => ({ batch: null, concurrency, ratePerS: null })
const open = (ratePerS: number) => ({ batch: null, concurrency: null, ratePerS })
const length = (part: Partial<Parameters<typeof stepLength>[0]>) =>
  stepLength({ rules, level: closed(8), residenceMs: 4000, remainingMs: 1e9, ...part })

test('step length: a window is five residences, not shorter than the minimum, not longer than the maximum', () => {
  expect(length({}).windowMs).toBe(20_000)
  expect(length({ residenceMs: 100 }).windowMs).toBe(10_000)
  expect(length({ residenceMs: 50_000 })).toMatchObject({ windowMs: 60_000, windowMaxMs: 60_000 })
  expect(length({ remainingMs: 12_000 })).toMatchObject({ windowMs: 12_000, windowMaxMs: 12_000 })
})

test('step length: warm-up waits for one generation, and stagger fits into it', () => {
  expect(length({})).toMatchObject({ warmupMs: 6000, warmupRequests: 8, staggerMs: 4000 })
  expect(length({ residenceMs: 100_000 })).toMatchObject({ warmupMs: 30_000, staggerMs: 30_000 })
  expect(length({ level: open(3) })).toMatchObject({ warmupRequests: 0, staggerMs: 0 })
})

test('step length: a level holds enough requests for each of its clients, however few the plan asks for', () => {
  expect(length({}).requestsMin).toBe(60)
  expect(length({ level: closed(100) }).requestsMin).toBe(400)
  expect(length({ level: open(3) }).requestsMin).toBe(60)
})

test('step length: a residence that is none is the programmer’s mistake', () => {
  expect(() => length({ residenceMs: 0 })).toThrow('residenceMs must be positive, got 0')
})

const measured: MeasuredResidence[] = [
  { level: closed(1), residenceMs: 1000, requestsPerS: 1 },
  { level: closed(16), residenceMs: 2000, requestsPerS: 8 },
  { level: closed(64), residenceMs: 6000, requestsPerS: 10.5 },
  { level: { ...closed(32), batch: 8 }, residenceMs: 9000, requestsPerS: 3.5 },
]
const guess = (level: Parameters<typeof guessResidenceMs>[0]['level'], steps = measured) =>
  guessResidenceMs({ level, measured: steps, zeroLoadMs: 700 })

test('residence guess: the nearest level with no more load, else the nearest with more, else one request alone', () => {
  expect(guess(closed(40))).toBe(2000)
  expect(guess(closed(64))).toBe(6000)
  expect(guess(closed(4), measured.slice(1))).toBe(2000)
  expect(guess(closed(4), [])).toBe(700)
})

test('residence guess: a rate is compared with the throughput that closed loop reached', () => {
  expect(guess(open(9))).toBe(2000)
  expect(guess(open(0.5))).toBe(1000)
})

test('residence guess: another batch limit counts only when there is nothing else', () => {
  expect(guess({ ...closed(64), batch: 8 })).toBe(9000)
  expect(guess({ ...closed(64), batch: 4 })).toBe(6000)
})
