import { axisPosition, keepApart, levelTicks, shortNumber } from '@loadcurve/report/charts/chart'
import { serverDocument } from '@loadcurve/report/server-document'
import { expect, test } from 'vitest'

const context = { document: serverDocument(), widthPx: 340 }

test('chart: ticks of levels keep apart by at least a label’s width, the first always stays', () => {
  const ticks = levelTicks([1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64], context)
  expect(ticks[0]).toBe(1)
  const position = axisPosition({ domain: [1, 64], lengthPx: 250, logarithmic: true })
  const gaps = ticks.slice(1).map((tick, index) => position(tick) - position(ticks[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(36)
  expect(levelTicks([], context)).toEqual([])
  expect(levelTicks([8], context)).toEqual([8])
})

test('chart: of labels that would touch, the earlier one stays', () => {
  const scale = { x: (value: number) => value, y: (value: number) => value }
  const label = (x: number, y: number, text: string) => ({ x, y, text })
  const kept = keepApart([label(0, 0, '8'), label(5, 3, '16'), label(60, 0, '32'), label(0, 40, '64')], scale)
  expect(kept.map(({ text }) => text)).toEqual(['8', '32', '64'])
})

test('chart: numbers have three significant digits and no exponent', () => {
  expect([0, 0.001234, 1.2345, 12.345, 123.45, 12345].map(shortNumber)).toEqual([
    '0',
    '0.00123',
    '1.23',
    '12.3',
    '123',
    '12,345',
  ])
})
