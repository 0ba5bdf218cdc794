/** The files of the repository that people write, as the tidy rules see them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const notOurs = new Set(['node_modules', 'dist', '.git', '.turbo', '.loadcurve', 'coverage'])

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** One broken rule; `where` is a path, with a line when there is one. */
export interface Breach {
  readonly where: string
  readonly what: string
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return walk(path)
    return entry.isFile() ? [relative(root, path).split(sep).join('/')] : []
  })
}

const paths = walk(root)

/** Files whose path matches, read as text. */
export function filesWhere(matches: (path: string) => boolean): readonly SourceFile[] {
  return paths.filter(matches).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export const allPaths: readonly string[] = paths

export const isCode = (path: string): boolean => /\.(ts|tsx|mjs|js)$/.test(path) && !path.endsWith('.d.ts')
export const isTest = (path: string): boolean => /(^|\/)tests?\//.test(path)
export const isPackageSource = (path: string): boolean =>
  /^(packages|apps)\/[^/]+\/src\//.test(path) && isCode(path)

/** What vitest shows when a rule is broken: one line a breach. */
export function listed(breaches: readonly Breach[]): readonly string[] {
  return breaches.map(({ where, what }) => `${where}: ${what}`)
}
