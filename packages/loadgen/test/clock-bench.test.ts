import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// The benchmark is the test, on its small rungs: it compares with a bare reader of the same stream, and repeats the
// rounds in which the server itself was late. It ends with code 1, and execFile rejects, when we are later than allowed.
test('stamps: at 1, 10 and 100 streams in lockstep ours are within 1, 1 and 2 ms of a bare reader’s at p95', async () => {
  const bench = fileURLToPath(new URL('../../../benchmarks/clock.bench.mjs', import.meta.url))
  const short = ['--seconds', '1.2', '--rounds', '2', '--retries', '3']
  const { stdout } = await promisify(execFile)(process.execPath, [bench, '1', '10', '100', ...short])
  // A heading, and at least one line for each rung.
  expect(stdout.trim().split('\n').length).toBeGreaterThanOrEqual(4)
}, 180_000)
