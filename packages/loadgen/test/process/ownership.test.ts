import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forkOwned } from '../../src/process/ownership.ts'
import { holdsWithin } from './load-order.ts'

// Field 41 of /proc/PID/stat is the scheduling policy; the command in field 2 may hold spaces. 2 is SCHED_RR.
const policyOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[38])
const mayAsk =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('chrt', ['--rr', '1', 'true']).status === 0

test.skipIf(!mayAsk)(
  'ownership: as root a process that stamps comes before all others of the machine',
  async () => {
    const child = forkOwned('child', {})
    const gone = once(child, 'exit')
    const { pid } = child
    expect(pid !== undefined && (await holdsWithin(5000, () => policyOf(pid) === 2))).toBe(true)
    child.disconnect()
    await gone
  },
)

test('ownership: a child whose owner lets go ends by itself', async () => {
  const child = forkOwned('child', {})
  const gone = once(child, 'exit')
  child.disconnect()
  await gone
  expect(child.exitCode).not.toBeNull()
})

test('ownership: a child whose owner went away before it listened ends all the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadcurve-ownership-'))
  const ownership = new URL('../../dist/process/ownership.js', import.meta.url).href
  const script = join(folder, 'child.mjs')
  // The interval would keep it alive for ever, as a listening server would.
  writeFileSync(
    script,
    `process.send('up')
     await new Promise((resolve) => process.once('disconnect', resolve))
     setInterval(() => {}, 1000)
     const { endWithOwner } = await import(${JSON.stringify(ownership)})
     endWithOwner()`,
  )
  const child = fork(script, [], { execArgv: [] })
  try {
    await once(child, 'message')
    child.disconnect()
    const [code] = await once(child, 'exit')
    expect(code).toBe(1)
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
})
