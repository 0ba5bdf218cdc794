import { styleOf } from '@loadcurve/report/terminal/style'
import { plotLines } from '@loadcurve/report/terminal/text-plot'
import { expect, test } from 'vitest'

const style = styleOf({ colour: false, unicode: false, columns: 40 })
const empty = { title: 'T', xLabel: 'x', measured: [], excluded: [], fitted: [], limit: null }

test('text plot: points stand where they belong, the line connects the fitted ones, the limit crosses', () => {
  const lines = plotLines(
    {
      ...empty,
      measured: [
        { x: 0, y: 0 },
        { x: 25, y: 9 },
      ],
      fitted: [
        { x: 0, y: 0 },
        { x: 25, y: 9 },
      ],
      limit: { y: 6, label: 'SLO' },
    },
    style,
  )
  // 26 columns and 10 rows over 25 and 9: one row a unit of y, one column a unit of x.
  expect(lines).toEqual([
    'T',
    '       9 |                        .o',
    '         |                     ...',
    '         |                  ...',
    '         |---------------...-------- SLO',
    '         |             ..',
    '         |           ..',
    '         |        ...',
    '         |     ...',
    '         |  ...',
    '       0 |o.',
    '         +--------------------------',
    '          0            x          25',
  ])
})

test('text plot: a level that went astray does not flatten the rest, and no points make no plot', () => {
  const lines = plotLines({ ...empty, measured: [{ x: 1, y: 10 }], excluded: [{ x: 2, y: 1000 }] }, style)
  expect(lines[1]).toMatch(/^ {6}10 \|/)
  expect(lines.join('')).toContain('x')
  expect(plotLines(empty, style)).toEqual([])
})
