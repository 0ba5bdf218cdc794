import { expect, test } from 'vitest'
import { allPaths, filesWhere, isPackageSource, listed } from './files.ts'
import { untested } from './mirror.ts'

test('tidy: every module of core has a test at the mirrored path', () => {
  const core = filesWhere((path) => isPackageSource(path) && path.startsWith('packages/core/'))
  expect(listed(untested(core, allPaths))).toEqual([])
})

test('tidy: mirror: a module that does something needs a test, one of types does not', () => {
  const path = 'packages/core/src/fit/a.ts'
  const doing = { path, text: 'export const half = (x: number) => x / 2' }
  expect(untested([doing], [])[0]?.what).toContain('write packages/core/test/fit/a.test.ts')
  expect(untested([doing], ['packages/core/test/fit/a.test.ts'])).toEqual([])
  const types =
    "import type { B } from './b.ts'\nexport interface A { b: B }\nexport type C = A | null\ninterface D {}"
  expect(untested([{ path, text: types }], [])).toEqual([])
})
