import { numberText, percentText, rangeText } from '@loadcurve/report/terminal/number-text'
import { styleOf } from '@loadcurve/report/terminal/style'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const { symbols } = styleOf({ colour: false, unicode: false, columns: 80 })

test.each([
  [null, '-'],
  [0, '0'],
  [1234.5, '1235'],
  [99.96, '100'],
  [99.94, '99.9'],
  [17.66, '17.7'],
  [9.996, '10.0'],
  [1.2345, '1.23'],
  [0.99951, '1.00'],
  [8, '8'],
  [0.8791, '0.879'],
  [0.000205, '0.000205'],
  [-3.456, '-3.46'],
])('number text: %s is written %s', (value, text) => {
  expect(numberText(value, symbols)).toBe(text)
})

test('number text: what is written is within half a unit of the third digit', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (value) => {
      const unit = 10 ** (Math.floor(Math.log10(value)) - 2)
      // One unit of slack where rounding crosses a power of ten.
      expect(Math.abs(Number(numberText(value, symbols)) - value)).toBeLessThanOrEqual(
        Math.max(unit, 0.5) * 0.5001,
      )
      expect(numberText(value, symbols)).not.toContain('e')
    }),
  )
})

test('number text: ranges and per cent', () => {
  expect(rangeText([9.2, 10.1], symbols)).toBe('9.20-10.1')
  expect(rangeText(null, symbols)).toBe('-')
  expect(percentText(0.0113, symbols)).toBe('1.13 %')
  expect(percentText(null, symbols)).toBe('-')
})
