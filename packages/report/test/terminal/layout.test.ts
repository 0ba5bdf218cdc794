import { definitionList, textTable, wrapText } from '@loadcurve/report/terminal/layout'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const columns = [
  { heading: 'N', align: 'right', cells: ['1', '128'] },
  { heading: 'why', align: 'left', cells: ['', 'slow'] },
] as const

test('layout: columns align and rows carry no trailing blanks', () => {
  expect(textTable(columns, 80)).toEqual(['  N  why', '  1', '128  slow'])
})

test('layout: a narrow table loses its gaps before it loses a digit', () => {
  expect(textTable(columns, 8)).toEqual(
    ['  N  why', '  1', '128  slow'].map((line) => line.replace('  why', ' why').replace('  slow', ' slow')),
  )
  expect(textTable(columns, 3)[2]).toBe('128 slow')
})

test('layout: wrapping keeps every word and the width', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 }),
      fc.integer({ min: 14, max: 40 }),
      (words, width) => {
        const lines = wrapText(words.join(' '), width, { rest: '    ' })
        expect(lines.every((line) => line.length <= width)).toBe(true)
        expect(
          lines
            .join(' ')
            .split(/ +/)
            .filter((word) => word !== ''),
        ).toEqual(words)
        expect(lines.slice(1).every((line) => /^ {4}[a-z]/.test(line))).toBe(true)
      },
    ),
  )
})

test('layout: a long value is wrapped under itself', () => {
  expect(
    definitionList(
      [
        ['a', 'one two three'],
        ['name', 'x'],
      ],
      16,
    ),
  ).toEqual(['  a     one two', '        three', '  name  x'])
})
