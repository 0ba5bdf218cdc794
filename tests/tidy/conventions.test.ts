import { expect, test } from 'vitest'
import { unconventional } from './conventions.ts'
import { allPaths, filesWhere, isCode, listed } from './files.ts'

const code = filesWhere(isCode)
const breaches = (text: string, path = 'a.ts') => listed(unconventional({ path, text }))

test('tidy: code keeps to the conventions', () => {
  expect(listed(code.flatMap(unconventional))).toEqual([])
})

test.each([
  ['export default function f() {}', 'default export'],
  ['export const a = 1\nenum Colour { red }', 'enum'],
  ['const enum Colour { red }', 'enum'],
  ["export * from './b.ts'\nexport const a = 1", 'only passes on'],
  ["export { b } from './b.ts'\nexport type { C } from './c.ts'", 'only passes on'],
  ['class A { @logged f() {} }', 'decorator'],
  [`test.${'only'}('x', () => {})`, 'left out'],
  [`describe.${'skip'}('x', () => {})`, 'left out'],
  [`const a = 1 // ${'TO'}${'DO'} later`, 'work for later'],
])('tidy: conventions: "%s" is a breach', (text, what) => {
  expect(breaches(text).join('\n')).toContain(what)
})

test('tidy: conventions: files are named after what they hold', () => {
  expect(breaches('export const a = 1', 'packages/core/src/utils.ts')).toHaveLength(1)
  expect(breaches('export const a = 1', 'packages/core/src/index.ts')).toHaveLength(1)
  expect(breaches('export const a = 1', 'packages/core/src/random.ts')).toEqual([])
})

test('tidy: tests do not live among the sources', () => {
  expect(allPaths.filter((path) => /\/src\/.*(\.(test|soak|spec)\.|__tests__)/.test(path))).toEqual([])
})
