import { logTicks, thinned } from '@loadcurve/report/charts/axis'
import { shortNumber } from '@loadcurve/report/charts/short-number'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const across = (from: number, to: number, lengthPx: number) =>
  ({ domain: [from, to], lengthPx, direction: 'across' }) as const

test('log ticks: as many round values as there is room for', () => {
  expect(logTicks(across(1, 1000, 900))).toEqual([
    1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000,
  ])
  expect(logTicks(across(1, 1000, 250))).toEqual([1, 3, 10, 30, 100, 300, 1000])
  expect(logTicks(across(1, 1000, 120))).toEqual([1, 10, 100, 1000])
  // Nearly even axes get even steps.
  expect(logTicks(across(13, 26, 260))).toEqual([14, 16, 18, 20, 22, 24, 26])
})

test('log ticks: labels of a phone’s axis never touch, and lie inside the axis', () => {
  const positive = fc.double({ min: 0.001, max: 1e6, noNaN: true })
  const ratio = fc.double({ min: 1.02, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(positive, ratio, fc.integer({ min: 240, max: 2400 }), (from, times, lengthPx) => {
      const to = from * times
      const ticks = logTicks(across(from, to, lengthPx))
      expect(ticks.length).toBeGreaterThanOrEqual(1)
      for (const [index, tick] of ticks.entries()) {
        expect(tick).toBeGreaterThanOrEqual(from * (1 - 1e-6))
        expect(tick).toBeLessThanOrEqual(to * (1 + 1e-6))
        const previous = ticks[index - 1]
        if (previous === undefined) continue
        const gapPx = (Math.log(tick / previous) / Math.log(to / from)) * lengthPx
        const widthPx = (7.2 * (shortNumber(tick).length + shortNumber(previous).length)) / 2
        expect(gapPx).toBeGreaterThanOrEqual(widthPx)
      }
    }),
  )
})

test('log ticks: an axis that does not begin above 0 is refused', () => {
  expect(() => logTicks(across(0, 10, 300))).toThrow('0 < from <= to, got 0, 10')
})

test('thinned: of the levels’ own values the first stays, and each further one that has room', () => {
  // 34.6 px per factor e: from 2 to 3 are 14 px, for two labels of one digit and a gap of 17.2.
  expect(thinned([1, 2, 3, 4, 8, 16, 32], across(1, 32, 120))).toEqual([1, 2, 4, 8, 16])
  expect(thinned([8], across(7, 9, 250))).toEqual([8])
  expect(thinned([], across(1, 2, 250))).toEqual([])
})

test('short number: three significant digits and no exponent', () => {
  expect([0, 0.001234, 1.2345, 12.345, 123.45, 12345].map(shortNumber)).toEqual([
    '0',
    '0.00123',
    '1.23',
    '12.3',
    '123',
    '12,345',
  ])
})
