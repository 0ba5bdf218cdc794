import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
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
