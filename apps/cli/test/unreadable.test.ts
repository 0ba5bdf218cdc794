import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { whyUnreadable } from '../src/unreadable.ts'

const why = (path: string) =>
  readFile(path).then(
    () => null,
    (error: unknown) => whyUnreadable(path, error),
  )

test('unreadable files: what is wrong, and what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadcurve-unreadable-'))
  try {
    writeFileSync(join(folder, 'sweep.csv'), '')
    expect(await why(join(folder, 'swep.csv'))).toBe('there is no such file. Did you mean sweep.csv?')
    expect(await why(join(folder, 'plan.json'))).toContain('there is no such file. Check the path')
    expect(await why(join(folder, 'nowhere', 'sweep.csv'))).toContain('Check the path')
    expect(await why(folder)).toBe('is a folder, not a file. Name a file in it.')
    expect(whyUnreadable('x', Object.assign(new Error('no'), { code: 'EACCES' }))).toContain(
      'may not be read',
    )
    expect(whyUnreadable('x', new Error('odd'))).toContain('odd')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
