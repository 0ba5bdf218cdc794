import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { type RunningSimulator, startSimulator } from '@loadcurve/sim/http-server/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PreflightOptions, runPreflight } from '../../src/preflight/preflight.ts'
import { plain, type ScriptedServer, scriptedServer } from '../target/scripted-server.ts'

const KEY = 'sk-planted-key'

let sim: RunningSimulator
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  sim = await startSimulator({ preset: 'small', speed: 4, apiKeys: [KEY] })
  closers.push(() => sim.close())
})
afterAll(async () => {
  for (const close of closers) await close()
})

function options(
  baseUrl: string,
  change: Partial<PreflightOptions> = {},
  headers: Record<string, string> = {},
): PreflightOptions {
  return {
    target: {
      baseUrl,
      endpoint: 'chat',
      apiKey: KEY,
      headers,
      policy: parseTargetPolicy('loopback nowhere.invalid'),
      nowMs: () => performance.now(),
    },
    model: sim.options.model,
    stream: true,
    ignoreEos: true,
    extraBody: {},
    tokenizeUrl: null,
    metricsUrl: null,
    metricsMapping: null,
    probeInputTokens: [64, 256, 1024],
    probesPerLength: 1,
    questionTimeoutMs: 500,
    answerTimeoutMs: 800,
    ...change,
  }
}

const preflight = (change: Partial<PreflightOptions> = {}, headers: Record<string, string> = {}) =>
  runPreflight(options(`${sim.url}/v1`, change, headers))
const codes = (report: { readonly findings: readonly { readonly code: string }[] }) =>
  report.findings.map(({ code }) => code)

describe('preflight: a server in good order', () => {
  test('has no blocking finding, and a calibration that hits every length', async () => {
    const report = await preflight({ metricsUrl: `${sim.url}/metrics` })
    expect(codes(report)).toEqual([
      'reachable',
      'model-known',
      'streaming',
      'usage-offered',
      'ignore-eos-honoured',
      'prefix-cache-seen',
      'server-idle',
    ])
    expect(report.ok).toBe(true)
    // The simulator: one token for each of our words, four for the message and three for the answer's header.
    expect(report.calibration).toEqual({ tokensPerWord: 1, overheadTokens: 7 })
    expect(report.probes.map(({ inputTokens }) => inputTokens)).toEqual([64, 256, 1024])
    expect(report.fingerprint).toMatchObject({
      engine: 'vllm',
      version: '0.1.0-loadcurve-sim',
      model: sim.options.model,
    })
  })

  test('zero-load TTFT at three lengths is the prefill of the server', async () => {
    const prefilling = await startSimulator({
      preset: 'small',
      law: {
        ...{
          baseMs: 1,
          perSequenceMs: 0,
          perContextTokenMs: 0,
          maxNumBatchedTokens: null,
          prefixCache: false,
        },
        ...{ noise: { stepCv: 0, prefillCv: 0 }, hiccup: null },
        prefill: { perPromptMs: 2, perTokenMs: 0.1, perTokenSquaredMs: 0 },
      },
    })
    closers.push(() => prefilling.close())
    const { probes } = await runPreflight(
      options(`${prefilling.url}/v1`, {
        model: prefilling.options.model,
        probeInputTokens: [100, 400, 1600],
        probesPerLength: 3,
      }),
    )
    for (const { inputTokens, ttftMs } of probes) {
      // One step: its base, and P(I) = 2 + 0.1 I. The rest is the round trip in a busy process, 20 ms at most.
      expect(ttftMs - (1 + 2 + 0.1 * inputTokens)).toBeGreaterThan(0)
      expect(ttftMs - (1 + 2 + 0.1 * inputTokens)).toBeLessThan(20)
    }
    expect(probes).toHaveLength(3)
  })

  test('a server without a prefix cache', async () => {
    const caching = await startSimulator({
      preset: 'small',
      speed: 4,
      law: { prefixCache: false },
    })
    closers.push(() => caching.close())
    const report = await runPreflight(options(`${caching.url}/v1`, { model: caching.options.model }))
    expect(codes(report)).toContain('prefix-cache-not-seen')
    expect(report.ok).toBe(true)
  })
})

describe('preflight: what a server may lack', () => {
  const rows: [fault: string, code: string, ok: boolean][] = [
    ['buffered', 'stream-buffered', false],
    ['missing-usage', 'usage-missing', true],
    ['eos-not-ignored', 'ignore-eos-ignored', true],
    ['several-tokens', 'tokens-per-event-told', true],
    ['html-200', 'not_json', false],
    ['error-body-200', 'internalservererror', false],
    ['http-503', 'unavailable', false],
    ['http-429', 'rate_limited', false],
    ['stall-before-head', 'first_byte_timeout', false],
    ['stall-mid-stream', 'idle_timeout', false],
    ['reset-before-head', 'connection_reset', false],
    ['empty-answer', 'no_tokens', false],
  ]
  test.each(rows)('%s: %s', async (fault, code, ok) => {
    const report = await preflight({}, { 'x-sim-fault': fault })
    expect({ ok: report.ok, codes: codes(report) }).toMatchObject({
      ok,
      codes: expect.arrayContaining([code]),
    })
  })

  test('requests that are not ours are foreign traffic', async () => {
    const busy = await fetch(`${sim.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: sim.options.model,
        messages: [{ role: 'user', content: 'x' }],
        max_tokens: 3000,
        ignore_eos: true,
        stream: true,
      }),
    })
    const report = await preflight({ metricsUrl: `${sim.url}/metrics` })
    await busy.body?.cancel()
    expect(codes(report).at(-1)).toBe('foreign-traffic')
    expect(report.ok).toBe(false)
  })
})

describe('preflight: bad input ends quickly with one clear sentence and what to do', () => {
  let web: ScriptedServer
  let silent: Server
  const silentSockets = new Set<Socket>()
  const portOf = (server: Server) => (server.address() as { port: number }).port
  beforeAll(async () => {
    web = await scriptedServer(() => plain(200, 'text/html', '<!doctype html><p>It works'))
    silent = createServer((socket) => silentSockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    closers.push(
      () => web.close(),
      async () => {
        for (const socket of silentSockets) socket.destroy()
        silent.close()
      },
    )
  })
  async function closedPort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = portOf(server)
    server.close()
    await once(server, 'close')
    return port
  }

  const rows: [fact: string, open: () => Promise<PreflightOptions>, code: string][] = [
    ['wrong URL', async () => options(`http://nowhere.invalid:${sim.port}/v1`), 'name_not_found'],
    ['malformed URL', async () => options('http:/127.0.0.1/v1'), 'url-malformed'],
    ['wrong path', async () => options(`${sim.url}/v2`), 'not_found'],
    ['wrong scheme', async () => options(`https://127.0.0.1:${sim.port}/v1`), 'tls_failed'],
    ['a scheme that is not for the web', async () => options('ftp://127.0.0.1/v1'), 'url-scheme-refused'],
    ['a host that is not allowed', async () => options('http://192.0.2.1/v1'), 'target-not-allowed'],
    ['closed port', async () => options(`http://127.0.0.1:${await closedPort()}/v1`), 'connection_refused'],
    [
      'wrong key',
      async () => ({
        ...options(`${sim.url}/v1`),
        target: { ...options(`${sim.url}/v1`).target, apiKey: 'wrong' },
      }),
      'unauthorized',
    ],
    [
      'no key',
      async () => ({
        ...options(`${sim.url}/v1`),
        target: { ...options(`${sim.url}/v1`).target, apiKey: null },
      }),
      'unauthorized',
    ],
    ['unknown model', async () => options(`${sim.url}/v1`, { model: 'nobody/knows' }), 'model-unknown'],
    ['HTML instead of JSON', async () => options(web.baseUrl), 'not_json'],
    ['a target that never answers', async () => options(`http://127.0.0.1:${portOf(silent)}/v1`), 'timeout'],
  ]
  test.each(rows)('%s', async (_fact, open, code) => {
    const startedAtMs = performance.now()
    const { ok, findings } = await runPreflight(await open())
    expect(performance.now() - startedAtMs).toBeLessThan(3000)
    expect(ok).toBe(false)
    const last = findings.at(-1)
    expect(last).toMatchObject({ code, ok: false, blocking: true })
    expect(last?.message).toMatch(/^[^\n]+$/)
    expect(last?.whatToDo).toMatch(/^[A-Z].+\.$/)
    expect(JSON.stringify(findings)).not.toContain(KEY)
  })
})
