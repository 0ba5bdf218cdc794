import { expect, test } from 'vitest'
import { gate, sweepNorms } from '../../src/fit/gates.ts'
import type { Level } from '../../src/fit/level.ts'
import { readLevel } from '../../src/fit/reading.ts'
import { closedLoopLevels, latency, levelWith } from '../measured.ts'

const norms = { outputTokens: 101, cacheHitFraction: 0 }
// 10 clients, R = 2.5 s, 4 requests/s: consistent.
const sound: Partial<Level> = {
  concurrency: 10,
  requestsPerS: 4,
  outputTokens: 101,
  requests: 200,
  okFraction: 1,
  ttftMs: latency({ mean: 500 }),
  tpotMs: latency({ mean: 20 }),
}
const server = { running: 8, waiting: 2, kvUsageFraction: 0.4, preemptions: 0, prefixCacheHitFraction: 0 }
const codeOf = (change: Partial<Level>) => gate(readLevel(levelWith({ ...sound, ...change }), null), norms)

const cases: [string, Partial<Level>, string | null][] = [
  ['a sound level passes', {}, null],
  ['a gate of the run itself comes first', { excluded: 'generator-unhealthy' }, 'generator-unhealthy'],
  ['two requests in a hundred failed', { okFraction: 0.98 }, 'error-rate'],
  ['one in a hundred may fail', { okFraction: 0.99 }, null],
  ['29 requests', { requests: 29 }, 'too-few-samples'],
  [
    'fewer than three requests per client',
    { concurrency: 100, requestsPerS: 40, requests: 299 },
    'too-few-samples',
  ],
  ['89 % of the clients were ever in flight', { requestsPerS: 3.56 }, 'concurrency-not-reached'],
  ['95 % were: trusted at its true concurrency', { requestsPerS: 3.8 }, null],
  ['more in flight than clients', { requestsPerS: 4.5 }, 'littles-law-violated'],
  ['the measured concurrency is short', { achievedConcurrency: 8.9 }, 'concurrency-not-reached'],
  [
    'X·R does not give the measured concurrency',
    { achievedConcurrency: 9.9, requestsPerS: 3 },
    'littles-law-violated',
  ],
  ['answers 11 % shorter than asked', { outputTokens: 89, requestsPerS: 10 / 2.26 }, 'output-length-differs'],
  [
    'the prefix cache helped',
    { server: { ...server, prefixCacheHitFraction: 0.4 } },
    'cache-hit-rate-differs',
  ],
  ['the server holds other people’s requests', { server: { ...server, running: 14 } }, 'foreign-traffic'],
  ['the server holds ours', { server }, null],
  ['no TPOT, and nothing to derive it from', { tpotMs: latency({}), requestsPerS: null }, 'tpot-missing'],
]
for (const [name, change, expected] of cases) {
  test(`gates: ${name}: ${expected ?? 'kept'}`, () => expect(codeOf(change)).toBe(expected))
}

test('gates: answers of a single token have no TPOT', () => {
  const level = levelWith({
    concurrency: 10,
    outputTokens: 1,
    ttftMs: latency({ mean: 500 }),
    tpotMs: latency({ mean: 20 }),
  })
  expect(gate(readLevel(level, null), { outputTokens: 1, cacheHitFraction: null })).toBe('tpot-missing')
})

test('gates: an open-loop level that serves less than it is offered has no steady state', () => {
  const level = levelWith({
    kind: 'open-loop',
    ratePerS: 10,
    requestsPerS: 9.6,
    outputTokens: 101,
    tpotMs: latency({ mean: 9 }),
  })
  expect(gate(readLevel(level, null), norms)).toBe('no-steady-state')
})

test('gates: a published table that never reached its concurrency loses those levels', () => {
  const levels = closedLoopLevels('vultr_nemotron_super49b_fp8_tp1_b200')
  const codes = levels.map((level) =>
    gate(readLevel(level, 512), { outputTokens: 512, cacheHitFraction: null }),
  )
  expect(codes[0]).toBeNull()
  expect(new Set(codes.slice(1))).toEqual(new Set(['concurrency-not-reached']))
})

test('gates: the norms of a sweep are what was asked for, else medians', () => {
  const readings = [90, 100, 400].map((outputTokens) =>
    readLevel(levelWith({ ...sound, outputTokens }), null),
  )
  expect(sweepNorms(readings, null)).toEqual({ outputTokens: 100, cacheHitFraction: null })
  expect(sweepNorms(readings, 128).outputTokens).toBe(128)
})
