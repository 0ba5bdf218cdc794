import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { FAULTS } from '@loadcurve/sim/faults/catalogue'
import { startSimulator } from '@loadcurve/sim/http-server/server'
import { PRESET_NAMES } from '@loadcurve/sim/presets/presets'
import { expect, test } from 'vitest'
import { runInProcess } from '../run.ts'

test('sim --help: explains every preset and every fault', async () => {
  const { code, stdout } = await runInProcess(['sim', '--help'])
  expect(code).toBe(0)
  for (const name of PRESET_NAMES) expect(stdout).toMatch(new RegExp(`^  ${name}  +\\S`, 'm'))
  for (const name of Object.keys(FAULTS)) expect(stdout).toMatch(new RegExp(`^  ${name}  +\\S`, 'm'))
  for (const path of ['/sim/truth', '/sim/realised', '/sim/requests', '/sim/control'])
    expect(stdout).toContain(path)
})

test('sim: bad options give all violations, each under its flag, and exit code 2', async () => {
  const bad =
    '--port x --preset none --speed 0 --max-num-seqs 1.5 --fault crlf --fault nope=0.1 --max-num-batched-tokens 0'
  const { code, stdout, stderr } = await runInProcess([
    'sim',
    ...bad.split(' '),
    '--law',
    '{"baseMs":0,"hue":1}',
  ])
  expect(code).toBe(2)
  expect(stdout).toBe('')
  const flags = stderr
    .trim()
    .split('\n')
    .map((line) => /^error: (--[a-z-]+(?: [A-Za-z]+)?): \S/.exec(line)?.[1])
  expect(flags.sort()).toEqual([
    '--fault crlf',
    '--fault nope',
    '--law baseMs',
    '--law hue',
    '--max-num-batched-tokens',
    '--max-num-seqs',
    '--port',
    '--preset',
    '--speed',
  ])
})

test('sim: a port that is taken is said in a sentence, not with a stack', async () => {
  const sim = await startSimulator()
  try {
    const { code, stderr } = await runInProcess(['sim', '--port', String(sim.port)])
    expect(code).toBe(1)
    expect(stderr).toBe(`error: port ${sim.port} is in use; --port 0 takes any free one\n`)
  } finally {
    await sim.close()
  }
})

/** The command in a process of its own, ready to be asked. */
async function spawnSim(flags: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  const bin = fileURLToPath(new URL('../../bin/loadcurve.js', import.meta.url))
  const child = fork(bin, ['sim', '--port', '0', '--json', ...flags], {
    // The test runner's own conditions would lead Node to the TypeScript sources.
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (bytes: Buffer) => resolve(bytes.toString()))
    child.once('exit', (code) => reject(new Error(`sim ended with code ${code} before it was ready`)))
  })
  return { child, url: JSON.parse(line).url }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve))
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'sim: serves until %s, then ends with code 0 in mid-stream',
  async (signal) => {
    const { child, url } = await spawnSim(['--preset', 'small', '--model', 'mine'])
    const models = await (await fetch(`${url}/v1/models`)).json()
    expect(models.data[0].id).toBe('mine')
    const response = await fetch(`${url}/v1/completions`, {
      method: 'POST',
      body: JSON.stringify({ prompt: 'a', max_tokens: 4000, ignore_eos: true, stream: true }),
    })
    const exit = ended(child)
    child.kill(signal)
    expect(await exit).toBe(0)
    await response.text().catch(() => {})
  },
)

test('sim: ends when the process that started it does', async () => {
  const { child } = await spawnSim([])
  const exit = ended(child)
  child.disconnect()
  expect(await exit).toBe(0)
})
