import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ProbeReport } from '@loadcurve/core/metrics/probe-report'
import { type RunningSimulator, startSimulator } from '@loadcurve/sim/http-server/server'
import { afterEach, expect, test } from 'vitest'
import { runInProcess } from '../run.ts'

const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function simulator(options: Parameters<typeof startSimulator>[0] = {}): Promise<RunningSimulator> {
  const sim = await startSimulator({ speed: 2, ...options })
  closing.push(() => sim.close())
  return sim
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const small = '--requests 12 --input-tokens 48 --output-tokens 16'.split(' ')
const argv = (url: string, ...more: string[]) => [
  'probe',
  '--url',
  url,
  '--model',
  'sim/small',
  ...small,
  ...more,
]

test('probe --json: has the keys of the contract, measures exactly the requests, and agrees with the server', async () => {
  const sim = await simulator()
  const { code, stdout, stderr } = await runInProcess(argv(`${sim.url}/v1`, '--concurrency', '4', '--json'))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const report = JSON.parse(stdout) as ProbeReport
  const wanted =
    'schemaVersion requests windowS concurrency requestsPerS outputTokensPerS inputTokensPerS outputTokensSource ' +
    'ttftMs ttftScheduledMs tpotMs gapMs e2eMs firstVisibleTokenMs validJsonMs serverQueueMs goodput littlesLaw ' +
    'fingerprint generator'
  for (const key of wanted.split(' ')) expect(report).toHaveProperty(key)
  expect(report.requests).toMatchObject({ scheduled: 12, ok: 12, failed: 0 })
  expect(report.concurrency.nominal).toBe(4)
  expect(report.outputTokensSource).toBe('usage')
  expect(report.ttftMs.n).toBe(12)
  expect(report.generator.calibration).toMatchObject({ streams: 4 })
  expect(report.fingerprint).toMatchObject({ model: 'sim/small' })
  // The server's own records of the requests of this probe: TTFT there can only be shorter.
  const served = sim.simulation.requests.between(0, Infinity).filter((it) => it.outputTokens === 16)
  const serverTtftMs = served.map((it) => (it.firstTokenAtMs ?? Number.NaN) - it.arrivedAtMs)
  const meanMs = serverTtftMs.reduce((sum, value) => sum + value, 0) / serverTtftMs.length
  expect(Number(report.ttftMs.mean)).toBeGreaterThan(0.5 * meanMs)
})

test('probe: open loop and the completions endpoint; text for people says what was asked and what came', async () => {
  const sim = await simulator()
  const more = ['--rate', '20', '--arrival', 'constant', '--endpoint', 'completions', '--slo', 'ttft:p95<5s']
  const { code, stdout } = await runInProcess(argv(sim.url, ...more))
  expect(code).toBe(0)
  expect(stdout).toContain('12 measured, 12 ok')
  expect(stdout).toContain('TTFT from schedule')
  expect(stdout).toContain('goodput          100 %')
})

test('probe: a server that fails now and then is measured, and its failures are counted', async () => {
  const sim = await simulator({ faults: { 'http-500': 0.3 }, seed: 3 })
  const { code, stdout } = await runInProcess(
    argv(sim.url, '--concurrency', '4', '--json', '--requests', '30'),
  )
  expect(code).toBe(0)
  const { requests } = JSON.parse(stdout) as ProbeReport
  expect(requests.scheduled).toBe(30)
  expect(requests.byOutcome.http_error).toBeGreaterThan(0)
  expect(requests.ok + requests.failed).toBe(30)
})

test('probe: every wrong option is named at once, with code 2', async () => {
  const line =
    'probe --url ftp://127.0.0.1/v1 --requests 0 --input-tokens many --output-tokens 8 --endpoint talk --slo fast'
  const { code, stdout, stderr } = await runInProcess(line.split(' '))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  const named = stderr
    .trim()
    .split('\n')
    .map((text) => /^error: (--[a-z-]+): \S/.exec(text)?.[1])
  expect(named.sort()).toEqual([
    '--concurrency',
    '--endpoint',
    '--input-tokens',
    '--model',
    '--requests',
    '--slo',
    '--url',
  ])
})

test('probe: a key that is not in the environment is a usage error that names the variable', async () => {
  const sim = await simulator()
  const { code, stderr } = await runInProcess(argv(sim.url, '--concurrency', '1', '--api-key-ref', 'prod'))
  expect(code).toBe(2)
  expect(stderr).toContain('LOADCURVE_TARGET_KEY_PROD')
})

/** What is in the way, and what the user reads about it. */
const obstacles: [string, () => Promise<string>, RegExp][] = [
  [
    'a closed port',
    async () => `http://127.0.0.1:${await closedPort()}/v1`,
    /nothing listens there\. Start the server/,
  ],
  [
    'a missing key',
    async () => (await simulator({ apiKeys: ['secret'] })).url,
    /refuses the key .* LOADCURVE_TARGET_KEY/,
  ],
  [
    'another model',
    async () => (await simulator({ model: 'other' })).url,
    /does not serve "sim\/small"; it serves other/,
  ],
  ['a web page', () => listening(htmlServer()), /answers with a web page/],
  ['silence', () => listening(createServer(() => {})), /accepts connections but does not answer/],
]

test.each(obstacles)(
  'probe: %s ends it with one clear sentence and code 1',
  async (_name, start, sentence) => {
    const { code, stdout, stderr } = await runInProcess(argv(await start(), '--concurrency', '1'))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  },
)

test('probe --json: when nothing could be measured, the shape is the same and the reason is in it', async () => {
  const url = `http://127.0.0.1:${await closedPort()}/v1`
  const { code, stdout } = await runInProcess(argv(url, '--concurrency', '1', '--json'))
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    requests: { scheduled: 0, ok: 0, failed: 0 },
    ttftMs: null,
    error: { code: 'connection_refused' },
  })
})

test('probe: Ctrl-C ends the load and leaves no process', async () => {
  const sim = await simulator()
  const bin = fileURLToPath(new URL('../../bin/loadcurve.js', import.meta.url))
  const long = ['--requests', '100000', '--input-tokens', '16', '--output-tokens', '64', '--concurrency', '4']
  const child = fork(bin, ['probe', '--url', sim.url, '--model', 'sim/small', ...long], {
    silent: true,
    execArgv: [],
  })
  const { requests } = sim.simulation
  const loading = () =>
    requests.between(0, Infinity).filter((it) => it.outputTokens === 64 && it.endedAtMs === null)
  await until(() => loading().length >= 4)
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  expect(code).toBe(130)
  // Its load process held the connections: when they are gone, it is.
  await until(() => loading().length === 0)
  const count = requests.between(0, Infinity).length
  await until(() => requests.between(0, Infinity).every((it) => it.endedAtMs !== null))
  expect(requests.between(0, Infinity)).toHaveLength(count)
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function closedPort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function htmlServer(): Server {
  return createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>hello</title>')
  })
}
