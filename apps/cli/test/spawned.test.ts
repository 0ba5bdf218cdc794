/** The built program as people start it: exit codes, pipes, and no colour where nobody looks. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('../bin/loadcurve.js', import.meta.url))
const example = fileURLToPath(new URL('../../../examples/tables/llama-44m-cpu-8-slots.csv', import.meta.url))

async function spawned(args: readonly string[], { stdin = '', closeStdoutEarly = false } = {}) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, LANG: 'C.UTF-8' } })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk
  })
  if (closeStdoutEarly) child.stdout.destroy()
  child.stdin.end(stdin)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...said }
}

test('spawned: a table is answered with code 0, plain ASCII and nothing on stderr', async () => {
  const { code, stdout, stderr } = await spawned(['fit', example, '--slo', 'tpot:p95<30'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Recommendation\n {2}batch size +\d+/)
  expect(stdout).toMatch(/^[\n -~]*$/)
})

test('spawned: usage is code 2, a refusal is code 5, and neither shows a stack', async () => {
  const usage = await spawned(['fit', '-'], { stdin: 'concurrency,ttft_ms,tpot_ms\n1,x,5\n' })
  expect(usage).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: standard input: line 2, column ttft_ms: must be a number, got "x"\n',
  })
  const refused = await spawned(['fit', '-', '--output-tokens', '100', '--json'], {
    stdin: 'concurrency,ttft_ms,tpot_ms\n1,50,5\n',
  })
  expect(refused.code).toBe(5)
  expect(JSON.parse(refused.stdout).reasons).toContain('too-few-levels')
})

test('spawned: a reader that closes the pipe early is no failure', async () => {
  expect(await spawned(['fit', example], { closeStdoutEarly: true })).toMatchObject({ code: 0, stderr: '' })
})
