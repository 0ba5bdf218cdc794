import { expect, test } from 'vitest'
import { filesWhere, isCode, listed } from './files.ts'
import { longFile, longFunctions } from './shape.ts'

const code = filesWhere(isCode)
const lines = (count: number) => Array.from({ length: count }, (_, index) => `  call(${index})`).join('\n')

test('tidy: no file is longer than 300 lines', () => {
  expect(longFile({ path: 'a.ts', text: lines(301) })[0]?.what).toContain('has 301 lines')
  expect(longFile({ path: 'a.ts', text: `${lines(300)}\n` })).toEqual([])
  expect(listed(code.flatMap(longFile))).toEqual([])
})

test('tidy: no function is longer than 50 lines', () => {
  const inside = (open: string, close: string, count: number) =>
    longFunctions({ path: 'a.ts', text: `\n${open}\n${lines(count)}\n${close}` })
  expect(inside('function f() {', '}', 49)[0]?.where).toBe('a.ts:2')
  expect(inside('function f() {', '}', 48)).toEqual([])
  expect(inside('const f = async (a: number) => {', '}', 49)).toHaveLength(1)
  expect(inside('class A { f(): void {', '}}', 49)).toHaveLength(1)
  expect(inside("test('story', async () => {", '})', 100)).toEqual([])
  expect(inside("test.each([1])('story', () => {", '})', 100)).toEqual([])
  expect(listed(code.flatMap(longFunctions))).toEqual([])
})
