import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { drawFault, FAULTS, type FaultName, parseFaultHeader } from '../../src/faults/catalogue.ts'
import type { SimulatorOptions } from '../../src/http-server/options.ts'
import { type RunningSimulator, startSimulator } from '../../src/http-server/server.ts'
import { seededChance } from '../../src/random.ts'
import { type Capture, capture } from './capture.ts'

// LOADCURVE_RECORD=1 writes the captures anew; look at the difference before committing it.
const recording = process.env['LOADCURVE_RECORD'] === '1'
const folder = new URL('../fixtures/faults/', import.meta.url)

const BODY = {
  messages: [{ role: 'user', content: 'Say something good, please.' }],
  max_tokens: 6,
  ignore_eos: true,
  seed: 7,
  stream: true,
  stream_options: { include_usage: true },
}

/** What each capture must show, said apart from the recordings: its ending, texts it has, texts it lacks. */
const SHOWS: Record<
  FaultName,
  { ending: Capture['ending']; has: (string | RegExp)[]; lacks: (string | RegExp)[] }
> = {
  refuse: { ending: 'reset', has: [], lacks: [/./] },
  'reset-before-head': { ending: 'reset', has: [], lacks: [/./] },
  'stall-before-head': { ending: 'silence', has: [], lacks: [/./] },
  'slow-head': { ending: 'kept', has: ['data: [DONE]'], lacks: [] },
  'http-429': { ending: 'kept', has: ['HTTP/1.1 429', /retry-after: 1\r/i, '"code":429'], lacks: ['data:'] },
  'http-500': { ending: 'kept', has: ['HTTP/1.1 500', '"type":"InternalServerError"'], lacks: ['data:'] },
  'http-503': { ending: 'kept', has: ['HTTP/1.1 503', '"code":503'], lacks: ['data:'] },
  'error-body-200': {
    ending: 'kept',
    has: ['HTTP/1.1 200', 'application/json', '{"error":{'],
    lacks: ['data:'],
  },
  'html-200': { ending: 'kept', has: ['HTTP/1.1 200', 'text/html', '<!doctype html>'], lacks: ['data:'] },
  'reset-mid-stream': { ending: 'reset', has: [tokens(3)], lacks: [tokens(4), '[DONE]', '\r\n0\r\n'] },
  'stall-mid-stream': { ending: 'silence', has: [tokens(3)], lacks: [tokens(4), '[DONE]', '\r\n0\r\n'] },
  'eof-mid-stream': {
    ending: 'kept',
    has: [tokens(3), /\r\n0\r\n\r\n$/],
    lacks: [tokens(4), '[DONE]', '"length"'],
  },
  'cut-mid-stream': { ending: 'fin', has: [tokens(3)], lacks: [tokens(4), '[DONE]', '\r\n0\r\n'] },
  'error-event': { ending: 'kept', has: [tokens(3), '\ndata: {"error":{'], lacks: [tokens(4), '[DONE]'] },
  'error-field': {
    ending: 'kept',
    has: [tokens(3), '\nerror: {', 'data: [DONE]'],
    lacks: [tokens(4), '{"error"'],
  },
  'no-done': { ending: 'kept', has: [tokens(6), '"finish_reason":"length"', '"usage"'], lacks: ['[DONE]'] },
  'no-finish': { ending: 'kept', has: [tokens(6), '[DONE]'], lacks: ['"finish_reason":"'] },
  'missing-usage': { ending: 'kept', has: [tokens(6), '[DONE]'], lacks: ['"usage"'] },
  'usage-twice': { ending: 'kept', has: ['"completion_tokens":2,', '"completion_tokens":6,'], lacks: [] },
  'data-null': { ending: 'kept', has: [tokens(6), /data: null[\s\S]*data: null/], lacks: [] },
  'empty-deltas': { ending: 'kept', has: [tokens(6), '"delta":{"content":""}'], lacks: [] },
  'several-tokens': { ending: 'kept', has: [tokens(2), '"completion_tokens":6,'], lacks: [tokens(3)] },
  crlf: { ending: 'kept', has: ['data: [DONE]\r\n\r\n'], lacks: [/[^\r]\n/] },
  cr: { ending: 'kept', has: ['data: [DONE]\r\r\r\n0'], lacks: [/}\n/] },
  comments: { ending: 'kept', has: [tokens(6), '\n: keep-alive\n\n', '\n:\n\n'], lacks: [] },
  'multi-line-data': { ending: 'kept', has: [tokens(6), ',\ndata: "choices"'], lacks: [] },
  'other-fields': {
    ending: 'kept',
    has: ['event: message\nid: 1\ndata:{', 'retry: 3000'],
    lacks: ['data: {'],
  },
  bom: { ending: 'kept', has: ['\xef\xbb\xbf'], lacks: [] },
  'utf8-split': { ending: 'kept', has: ['\xf0\r\n', '\xc3\r\n'], lacks: ['\xf0\x9f'] },
  'byte-per-write': {
    ending: 'kept',
    has: ['\r\n1\r\nd\r\n1\r\na\r\n1\r\nt\r\n1\r\na\r\n1\r\n:\r\n'],
    lacks: ['data'],
  },
  'huge-event': { ending: 'kept', has: [tokens(6), '<5242880 times x>'], lacks: [] },
  gzip: { ending: 'kept', has: [/content-encoding: gzip/i, '\x1f\x8b'], lacks: ['data:'] },
  buffered: { ending: 'kept', has: [tokens(6)], lacks: [/\n\n\r\n[0-9a-f]+\r\ndata/] },
  'half-closed': { ending: 'fin', has: [tokens(6), /connection: keep-alive/i, '\r\n0\r\n\r\n'], lacks: [] },
  'eos-not-ignored': {
    ending: 'kept',
    has: [tokens(4), '"finish_reason":"stop"', '"completion_tokens":4,'],
    lacks: [tokens(5)],
  },
  'length-cut': {
    ending: 'kept',
    has: [tokens(3), '"finish_reason":"stop"', '"completion_tokens":3,'],
    lacks: [tokens(4)],
  },
  'empty-answer': {
    ending: 'kept',
    has: ['"finish_reason":"stop"', '"completion_tokens":0,', '[DONE]'],
    lacks: [tokens(1)],
  },
  'reasoning-only': { ending: 'kept', has: ['"reasoning_tokens":6'], lacks: [tokens(1)] },
  'content-filter': {
    ending: 'kept',
    has: ['"finish_reason":"content_filter"', tokens(3)],
    lacks: [tokens(4)],
  },
  'invalid-json': {
    ending: 'kept',
    has: ['"content":"{\\"text\\":\\""', '"finish_reason":"stop"'],
    lacks: ['"content":"\\"}"'],
  },
}

/** At least this many deltas with text. */
function tokens(count: number): RegExp {
  return new RegExp(`(?:"delta":\\{"content":"[^"][\\s\\S]*?){${count}}`)
}

// Only the calendar stands still (`created` in every event); timers and the monotonic clock run.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T00:00:00Z') })
})
afterAll(() => {
  vi.useRealTimers()
})

/** A server of its own for each capture, so that the running number in the answer's id is always 0. */
async function withSimulator<T>(
  use: (sim: RunningSimulator) => Promise<T>,
  faults: SimulatorOptions['faults'] = {},
): Promise<T> {
  // Prompt reuse would make the counts depend on what ran before.
  const sim = await startSimulator({
    preset: 'small',
    speed: 20,
    law: { prefixCache: false },
    refusePort: 0,
    faults,
  })
  try {
    return await use(sim)
  } finally {
    await sim.close()
  }
}

test.each(Object.keys(FAULTS) as FaultName[])(
  'fault %s: a request header reaches it, and the wire shows it',
  async (name) => {
    const json = name === 'invalid-json' ? { response_format: { type: 'json_object' } } : {}
    const fault = name === 'slow-head' ? `${name};delayMs=20` : name
    const { bytes, ending } = await withSimulator((sim) =>
      capture(sim, { fault, body: { ...BODY, ...json } }),
    )
    const { ending: expected, has, lacks } = SHOWS[name]
    expect(ending).toBe(expected)
    for (const text of has) expect(bytes).toMatch(text)
    for (const text of lacks) expect(bytes).not.toMatch(text)
    const file = new URL(`${name}.http`, folder)
    if (recording) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, bytes, 'latin1')
    }
    expect(existsSync(file)).toBe(true)
    // Deflate may give other bytes in another version of zlib; what it unpacks to may not differ.
    if (name === 'gzip') expect(unpacked(bytes)).toBe(unpacked(readFileSync(file, 'latin1')))
    else expect(bytes).toBe(readFileSync(file, 'latin1'))
  },
)

function unpacked(http: string): string {
  const body = http.slice(http.indexOf('\r\n\r\n') + 4)
  const parts: string[] = []
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.slice(at, line), 16)
    if (size === 0) break
    parts.push(body.slice(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
  return gunzipSync(Buffer.from(parts.join(''), 'latin1')).toString()
}

test('refuse port: a connection to it is reset before anything can be said', async () => {
  const seen = await withSimulator((sim) =>
    capture({ ...sim, port: sim.refusePort ?? 0 }, { fault: 'refuse', body: BODY }),
  )
  expect(seen).toEqual({ bytes: '', ending: 'reset' })
})

test('fault fractions: each fault comes as often as asked, by the seed', () => {
  const chance = seededChance(1, 'test')
  const counts = new Map<string, number>()
  const n = 20_000
  for (let index = 0; index < n; index++) {
    const name = drawFault({ 'http-503': 0.1, crlf: 0.3 }, chance())?.name ?? 'none'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [name, fraction] of [
    ['http-503', 0.1],
    ['crlf', 0.3],
    ['none', 0.6],
  ] as const) {
    const tolerance = 4 * Math.sqrt((fraction * (1 - fraction)) / n)
    expect(Math.abs((counts.get(name) ?? 0) / n - fraction)).toBeLessThan(tolerance)
  }
})

test('fault header: parameters are read, nonsense is named', () => {
  expect(parseFaultHeader('error-event; after=5;delayMs=10')).toEqual({
    name: 'error-event',
    after: 5,
    delayMs: 10,
  })
  expect(parseFaultHeader('nope')).toBe('x-sim-fault: there is no fault "nope"')
  expect(parseFaultHeader('crlf;after=x')).toBe(
    'x-sim-fault: "after=x" is not after=COUNT or delayMs=MILLISECONDS',
  )
})

test('fault fractions: two servers with one seed fail the same requests', async () => {
  const statuses = () =>
    withSimulator(
      async (sim) => {
        const seen: number[] = []
        for (let index = 0; index < 40; index++) {
          const body = JSON.stringify({ prompt: 'a', max_tokens: 1 })
          seen.push((await fetch(`${sim.url}/v1/completions`, { method: 'POST', body })).status)
        }
        return seen
      },
      { 'http-503': 0.3 },
    )
  const first = await statuses()
  expect(await statuses()).toEqual(first)
  // Binomial(40, 0.3): outside 2..24 with probability under 1e-4.
  const failures = first.filter((status) => status === 503).length
  expect(failures).toBeGreaterThan(1)
  expect(failures).toBeLessThan(25)
})
