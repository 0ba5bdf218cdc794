import { expect, test } from 'vitest'
import { saturationOf } from '../../src/capacity/saturation.ts'
import { fitCurve } from '../../src/fit/curve.ts'
import type { ServerReadings } from '../../src/fit/level.ts'
import { mainOracle } from '../measured.ts'

const settings = { inputTokens: null, outputTokens: null, experts: null, probes: [], seed: 1, draws: 5 }
const withServer = (server: (concurrency: number) => ServerReadings) =>
  fitCurve({
    ...settings,
    levels: mainOracle().map((level) => ({ ...level, server: server(level.concurrency ?? 0) })),
  })
const held = (concurrency: number, kvUsageFraction: number): ServerReadings => ({
  running: Math.min(concurrency, 86),
  waiting: Math.max(0, concurrency - 86),
  kvUsageFraction,
  preemptions: 0,
  prefixCacheHitFraction: 0,
})

test('saturation: the client alone sees a plateau and no cause', () => {
  const saturation = saturationOf(fitCurve({ ...settings, levels: mainOracle() }))
  expect(saturation?.decodeBatch).toBeCloseTo(85.4, 0)
  expect(saturation?.bottleneck).toBe('unknown')
  expect(saturation?.evidence).toBe('client-only')
})

test('saturation: requests wait while the cache has room: slots', () => {
  const saturation = saturationOf(withServer((concurrency) => held(concurrency, 0.5)))
  expect(saturation).toMatchObject({ bottleneck: 'slots', evidence: 'server-metrics' })
})

test('saturation: requests wait for a full cache: kv', () => {
  const saturation = saturationOf(
    withServer((concurrency) => held(concurrency, concurrency > 86 ? 0.99 : 0.5)),
  )
  expect(saturation).toMatchObject({ bottleneck: 'kv', evidence: 'server-metrics' })
})

test('saturation: prompts that fill the server’s time: prefill', () => {
  // 1.84 requests/s of 500 ms prefill work each keep it busy 92 % of the time.
  const probes = [1000, 5000, 20000].map((inputTokens) => ({ inputTokens, ttftMs: inputTokens / 10 }))
  const saturation = saturationOf(fitCurve({ ...settings, probes, levels: mainOracle() }))
  expect(saturation).toMatchObject({ bottleneck: 'prefill', evidence: 'client-only' })
})

test('saturation: none observed is null', () => {
  expect(saturationOf(fitCurve({ ...settings, levels: mainOracle().slice(0, 4) }))).toBeNull()
})
