import { expect, test } from 'vitest'
import { misdirectedImports } from './direction.ts'
import { filesWhere, isPackageSource, listed } from './files.ts'

const manifests = new Map(
  filesWhere((path) => /^(packages|apps)\/[^/]+\/package\.json$/.test(path)).map(({ path, text }) => [
    path.replace('/package.json', ''),
    text,
  ]),
)

const complaint = (path: string, text: string) =>
  misdirectedImports({ path, text }, manifests)[0]?.what ?? null

test('tidy: packages import only in the directions of the architecture', () => {
  expect(listed(filesWhere(isPackageSource).flatMap((file) => misdirectedImports(file, manifests)))).toEqual(
    [],
  )
})

test.each([
  ['packages/core/src/a.ts', "import { readFileSync } from 'node:fs'", 'may not import node:fs'],
  ['packages/core/src/a.ts', "import { request } from 'undici'", 'may not import undici'],
  ['packages/core/src/a.ts', "export const f = () => import('node:os')", 'may not import node:os'],
  ['packages/sim/src/a.ts', "import { fit } from '@loadcurve/core/fit/law'", 'only types'],
  [
    'packages/report/src/a.ts',
    "import { open } from '@loadcurve/store/database'",
    'may not import @loadcurve/store',
  ],
  [
    'apps/api/src/a.ts',
    "import { drive } from '@loadcurve/loadgen/drive'",
    'may not import @loadcurve/loadgen',
  ],
  ['apps/cli/src/a.ts', "import { app } from '@loadcurve/api/app'", 'may not import @loadcurve/api'],
  [
    'apps/cli/src/a.ts',
    "import { db } from '@loadcurve/store/database'",
    'may not import @loadcurve/store/database',
  ],
  ['apps/cli/src/a.ts', "import lodash from 'lodash'", 'not in the dependencies'],
  ['apps/cli/src/a.ts', "import { app } from '../../api/src/app.ts'", 'leaves apps/cli'],
  ['apps/cli/src/a.ts', "import { b } from './b'", 'needs its file extension'],
  ['apps/cli/src/a.ts', "export { b } from '../../api/src/app.ts'", 'leaves apps/cli'],
  ['packages/new/src/a.ts', '', 'has no rule'],
])('tidy: direction: %s with %s is a breach', (path, text, what) => {
  expect(complaint(path, text)).toContain(what)
})

test.each([
  ['packages/core/src/fit/a.ts', "import { b } from '../b.ts'\nimport { mean } from 'simple-statistics'"],
  [
    'packages/sim/src/a.ts',
    "import type { StepLaw } from '@loadcurve/core/fit/law'\nimport http from 'node:http'",
  ],
  [
    'apps/cli/src/a.ts',
    "import { start } from '@loadcurve/store/local-postgres'\nimport { Command } from 'commander'",
  ],
])('tidy: direction: %s may %s', (path, text) => {
  expect(complaint(path, text)).toBeNull()
})
