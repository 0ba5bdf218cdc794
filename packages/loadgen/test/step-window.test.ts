import { expect, test } from 'vitest'
import { StepWindow, type WindowRules } from '../src/step-window.ts'

const rules = (changes: Partial<WindowRules> = {}): WindowRules => ({
  warmup: { durationMs: 100, endedMin: 0, maxMs: 500 },
  durationMs: 1000,
  requestsMin: 0,
  maxMs: 5000,
  drainMaxMs: 300,
  ...changes,
})

test('window: a request belongs to the phase in which it starts', () => {
  const window = new StepWindow(rules())
  expect(window.admit(0)).toBe('warmup')
  expect(window.admit(99.9)).toBe('warmup')
  expect(window.admit(100)).toBe('window')
  expect(window.admit(1099.9)).toBe('window')
  expect(window.admit(1100)).toBe('tail')
  expect(window.closedAtMs).toBe(1100)
})

test('window: opens when enough requests have ended, and not before the warm-up is long enough', () => {
  const warmup = { durationMs: 100, endedMin: 2, maxMs: 500 }
  const early = new StepWindow(rules({ warmup }))
  for (const atMs of [10, 20]) early.ended(early.admit(0) ?? 'tail', atMs)
  expect(early.openAtMs).toBe(100)

  const late = new StepWindow(rules({ warmup }))
  for (const atMs of [10, 320]) late.ended(late.admit(0) ?? 'tail', atMs)
  expect(late.openAtMs).toBe(320)

  const never = new StepWindow(rules({ warmup }))
  never.ended(never.admit(0) ?? 'tail', 10)
  expect(never.admit(499)).toBe('warmup')
  expect(never.admit(500)).toBe('window')
})

test('window: closes by count at the first start that it no longer measures', () => {
  const window = new StepWindow(
    rules({ warmup: { durationMs: 0, endedMin: 0, maxMs: 0 }, durationMs: 0, requestsMin: 3 }),
  )
  expect([0, 10, 20, 30].map((atMs) => window.admit(atMs))).toEqual(['window', 'window', 'window', 'tail'])
  // Three starts over three whole intervals: 3 / 30 ms is the rate.
  expect(window.closedAtMs).toBe(30)
  expect(window.measuredCount).toBe(3)
})

test('window: with enough requests in time the duration decides; the longest duration bounds both', () => {
  const enough = new StepWindow(rules({ requestsMin: 2 }))
  for (const atMs of [200, 300]) enough.admit(atMs)
  expect(enough.admit(1150)).toBe('tail')
  expect(enough.closedAtMs).toBe(1100)

  const starved = new StepWindow(rules({ requestsMin: 100 }))
  starved.admit(200)
  expect(starved.admit(5099)).toBe('window')
  expect(starved.admit(5100)).toBe('tail')
  expect(starved.closedAtMs).toBe(5100)
})

test('window: load goes on until the last measured request has ended, then no more is admitted', () => {
  const window = new StepWindow(rules())
  window.admit(150)
  expect(window.admit(1100)).toBe('tail')
  expect(window.end).toBeNull()
  window.ended('window', 1250)
  expect(window.end).toBe('measured')
  expect(window.admit(1251)).toBeNull()
})

test('window: a measured request that outlives the drain limit ends the step', () => {
  const window = new StepWindow(rules())
  window.admit(150)
  window.advance(1399.9)
  expect(window.end).toBeNull()
  expect(window.nextChangeAtMs()).toBe(1400)
  window.advance(1400)
  expect(window.end).toBe('drain-limit')
})

test('window: the owner may extend it while it is open, within the longest duration, and never afterwards', () => {
  const window = new StepWindow(rules())
  expect(window.extend(2000, 500)).toBe(true)
  expect(window.phaseAt(1999)).toBe('window')
  expect(window.phaseAt(2000)).toBe('tail')
  expect(window.extend(99_000, 600)).toBe(true)
  expect(window.phaseAt(5099)).toBe('window')
  expect(window.phaseAt(5100)).toBe('tail')
  expect(window.extend(6000, 5100)).toBe(false)
  expect(window.closedAtMs).toBe(5100)
})

test('window: a schedule that is late still owes the window its starts', () => {
  const window = new StepWindow(rules())
  window.expect(1090)
  window.advance(1200)
  expect(window.end).toBeNull()
  expect(window.admit(1090)).toBe('window')
  window.expect(1300)
  window.ended('window', 1210)
  expect(window.end).toBe('measured')
})

test('window: the end of a schedule closes it', () => {
  const window = new StepWindow(rules())
  window.admit(200)
  window.exhausted(200)
  expect(window.closedAtMs).toBe(200)
  expect(window.end).toBeNull()
  window.ended('window', 260)
  expect(window.end).toBe('measured')
})

test('window: rules that say nothing, or nothing finite, are refused with the value', () => {
  expect(() => new StepWindow(rules({ durationMs: 0 }))).toThrow('got neither')
  expect(() => new StepWindow(rules({ drainMaxMs: -1 }))).toThrow(
    'drainMaxMs must be at least 0 and finite, got -1',
  )
  expect(() => new StepWindow(rules({ maxMs: Number.POSITIVE_INFINITY }))).toThrow('got Infinity')
})
