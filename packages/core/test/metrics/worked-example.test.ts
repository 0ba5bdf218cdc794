// The worked example of docs/METRICS.md, number by number.
import { readFileSync } from 'node:fs'
import { LATENCY_DEFINITIONS, STEP_DEFINITIONS } from '@loadcurve/core/metrics/definitions'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { expect, test } from 'vitest'
import { factsOf, sampleOf, shardOf } from './records.ts'

const page = readFileSync(new URL('../../../../docs/METRICS.md', import.meta.url), 'utf8')

/** The rows of the page's table: sent, first content, last content, tokens. */
function requestsOfPage(): number[][] {
  const rows = page.match(/^\| [A-G] \|.*$/gm) ?? []
  return rows.map((row) => row.replaceAll('−', '-').split('|').slice(3, 7).map(Number))
}

const samples = requestsOfPage().map(
  ([sentAtMs = 0, firstContentAtMs = 0, lastContentAtMs = 0, tokens = 0], index) => {
    const events = Array.from({ length: tokens }, (_, event) => firstContentAtMs + event * 50)
    return sampleOf({
      index,
      phase: sentAtMs < 0 ? 'warmup' : 'window',
      scheduledAtMs: sentAtMs,
      sentAtMs,
      firstContentAtMs,
      firstVisibleAtMs: firstContentAtMs,
      lastContentAtMs,
      closedAtMs: lastContentAtMs,
      outputTokens: tokens,
      outputTokensAsked: tokens,
      contentEvents: tokens,
      contentEventsInWindow: events.filter((atMs) => atMs >= 0 && atMs < 2_000).length,
    })
  },
)

const summary = summariseStep({
  shards: [shardOf(samples, { windowEndMs: 2_000 })],
  targetReadings: [],
  facts: factsOf({
    level: { batch: null, concurrency: 2, ratePerS: null },
    slo: [
      { metric: 'ttft', percentile: 95, maxMs: 275 },
      { metric: 'tpot', percentile: 95, maxMs: 60 },
    ],
  }),
})

test('worked example: the table of the page is read whole', () => {
  expect(samples).toHaveLength(7)
})

test('worked example: latencies and percentiles', () => {
  expect(summary.latency.ttft).toMatchObject({ n: 6, p95: 287.5, tooFew: ['p90', 'p95', 'p99'] })
  expect(summary.latency.ttft.mean).toBeCloseTo(241.67, 2)
  expect(summary.latency.tpot).toMatchObject({ n: 6, mean: 50 })
  expect(summary.latency.e2e.mean).toBeCloseTo(758.33, 2)
})

test('worked example: rates, concurrency and stages', () => {
  expect(summary.requestsPerS).toBeCloseTo(2.667, 3)
  expect(summary.outputTokensPerS).toBe(30)
  expect(summary.wholeRun.durationS).toBeCloseTo(2.9, 12)
  expect(summary.wholeRun.outputTokensPerS).toBeCloseTo(26.55, 2)
  expect(summary.concurrency.achieved).toBe(2)
  expect(summary.concurrency.prefill).toBeCloseTo(0.644, 3)
  expect(summary.concurrency.decodeBatch).toBeCloseTo(1.378, 3)
  expect(summary.littlesLaw.ratio).toBe(1)
  expect(summary.littlesLaw.identity.ratio).toBeCloseTo(1.011, 3)
})

test('worked example: goodput, and a verdict that six requests cannot decide', () => {
  expect(summary.goodput.fraction).toBeCloseTo(0.833, 3)
  expect(summary.goodput.perS).toBe(2.5)
  expect(summary.slo.map(({ verdict }) => verdict)).toEqual(['undecided', 'undecided'])
})

test('docs: every metric of the table is explained on the page', () => {
  const text = page.toLowerCase()
  const named = [...Object.keys(LATENCY_DEFINITIONS).map((name) => `\`${name}\``)]
  for (const name of named) expect(page).toContain(name)
  const labels = Object.values(STEP_DEFINITIONS).map(({ label }) => label.toLowerCase())
  const spoken: Record<string, string> = {
    'achieved concurrency l': 'achieved concurrency',
    'requests before their first token': 'before the first token',
    'little’s-law ratio': 'littleslaw.ratio',
    'goodput fraction': 'goodput',
    'output length against asked': 'asked length',
  }
  for (const label of labels) expect(text).toContain(spoken[label] ?? label)
})

test('docs: every gate and reason is explained on the page', () => {
  const codes = ['gates', 'generator-health', 'littles-law'].flatMap((file) => {
    const source = readFileSync(new URL(`../../src/metrics/${file}.ts`, import.meta.url), 'utf8')
    return [...source.matchAll(/'([a-z]+(?:-[a-z]+)+)'/g)].map(([, code]) => code ?? '')
  })
  expect(codes.length).toBeGreaterThan(20)
  for (const code of new Set(codes)) expect(page).toContain(`\`${code}\``)
})
