import { expect, test } from 'vitest'
import { filesWhere, isPackageSource, listed } from './files.ts'
import { impurities } from './pure.ts'

const core = filesWhere((path) => isPackageSource(path) && path.startsWith('packages/core/'))
const impure = (text: string) => listed(impurities({ path: 'a.ts', text }))

test('tidy: core reads no clock, no chance, no environment', () => {
  expect(core.length).toBeGreaterThan(0)
  expect(listed(core.flatMap(impurities))).toEqual([])
})

test.each([
  'const now = Date.now()',
  'const born: Date | null = null',
  'const x = Math.random()',
  'const at = performance.now()',
  'if (process.env.DEBUG) go()',
  'setTimeout(go, 5)',
  'await fetch(url)',
  'console.log(1)',
])('tidy: pure: "%s" is a breach', (text) => {
  expect(impure(`\n${text}`)[0]).toMatch(/^a\.ts:2: core may not/)
})

test('tidy: pure: a parameter may be called what it is, and hides the global', () => {
  expect(impure('export function rate(process: string) { return process.length }')).toEqual([])
  expect(impure('export function rate({ process }: Load) { return process.length }')).toEqual([])
})

test('tidy: pure: the name of a property is not the global', () => {
  expect(impure('const a = load.process\nconst b = { performance: 1, Date: 2 }\nMath.sqrt(2)')).toEqual([])
})
