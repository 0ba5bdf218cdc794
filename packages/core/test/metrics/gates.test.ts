import { stepCaveats, stepRefusals } from '@loadcurve/core/metrics/gates'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { expect, test } from 'vitest'
import { factsOf, healthyReadings, sampleAt, shardOf } from './records.ts'

// 50 requests one after the other: one slot, always busy.
const samples = Array.from({ length: 50 }, (_, index) => sampleAt(index * 200, { index }))
const good = summariseStep({
  shards: [shardOf(samples, { windowEndMs: 10_000 })],
  targetReadings: [],
  facts: factsOf(),
})

const refusals = (changes: Partial<StepSummary>, lengthsForced = true) =>
  stepRefusals({ ...good, ...changes }, lengthsForced)
const caveats = (changes: Partial<StepSummary>, lengthsForced = true) =>
  stepCaveats({ ...good, ...changes }, lengthsForced)
const lengths = (differenceFraction: number) => ({
  outputTokens: { ...good.outputTokens, differenceFraction },
})

test('gates: a clean step passes all', () => {
  expect(good.refusals).toEqual([])
  expect(good.caveats).toEqual([])
})

test('gates: an unhealthy generator keeps the step out', () => {
  const shard = shardOf(samples, {
    windowEndMs: 10_000,
    readings: { ...healthyReadings, receiveLagP99Ms: 9 },
  })
  const summary = summariseStep({ shards: [shard], targetReadings: [], facts: factsOf() })
  expect(summary.refusals).toEqual(['generator-unhealthy'])
  expect(summary.generator.reasons).toEqual(['receive-lag'])
})

test('gates: more than 1 % of failures', () => {
  const requests = { ...good.requests, scheduled: 1_000, ok: 990 }
  expect(refusals({ requests: { ...requests, failed: 10 } })).toEqual([])
  expect(refusals({ requests: { ...requests, failed: 11 } })).toEqual(['error-rate'])
})

test('gates: too few requests, at all or for the slots', () => {
  expect(refusals({ requests: { ...good.requests, ok: 19 } })).toEqual(['too-few-samples'])
  const level = { batch: null, concurrency: 64, ratePerS: null }
  expect(refusals({ level, requests: { ...good.requests, ok: 127 } })).toEqual(['too-few-samples'])
  expect(refusals({ level, requests: { ...good.requests, ok: 128 } })).toEqual([])
})

test('gates: output lengths are flagged over 2 % and rejected over 10 %, either way, where they were forced', () => {
  expect(
    [0.019, 0.021, 0.099, 0.101, -0.101].map((one) => [refusals(lengths(one)), caveats(lengths(one))]),
  ).toEqual([
    [[], []],
    [[], ['output-length-off']],
    [[], ['output-length-off']],
    [['output-length-differs'], []],
    [['output-length-differs'], []],
  ])
  expect(refusals(lengths(-0.5), false)).toEqual([])
})

test('gates: Little’s law and steady state by their own verdicts', () => {
  const law = good.littlesLaw
  expect(
    refusals({ littlesLaw: { ...law, nominal: { ratio: 0.8, code: 'concurrency-not-reached' } } }),
  ).toEqual(['concurrency-not-reached'])
  expect(refusals({ littlesLaw: { ...law, server: { ratio: 2, code: 'foreign-traffic' } } })).toEqual([
    'foreign-traffic',
  ])
  expect(refusals({ littlesLaw: { ...law, identity: { ratio: 2, code: 'littles-law-violated' } } })).toEqual([
    'littles-law-violated',
  ])
  expect(caveats({ littlesLaw: { ...law, nominal: { ratio: 0.95, code: 'nominal-not-trusted' } } })).toEqual([
    'nominal-not-trusted',
  ])
  const moving = { steady: false, cutFraction: 0.5, changeFraction: 1 }
  expect(refusals({ steadyState: { ...good.steadyState, ttft: moving } })).toEqual(['no-steady-state'])
  expect(refusals({ steadyState: { throughput: moving, ttft: moving } })).toEqual(['no-steady-state'])
})

test('gates: caveats for what the reader should know', () => {
  expect(caveats({ assumedFirstEventTokens: 1 })).toEqual(['first-event-tokens-assumed'])
  expect(caveats({ cache: { hitFraction: 0.2, source: 'usage', asked: false } })).toEqual([
    'cache-hits-unasked',
  ])
  expect(caveats({ cache: { hitFraction: 0.2, source: 'usage', asked: true } })).toEqual([])
  expect(caveats({ inputTokens: { ...good.inputTokens, differenceFraction: 0.03 } })).toEqual([
    'input-length-off',
  ])
  const gap = { ...good.latency.gap, n: 5 }
  expect(caveats({ gapsAreTokenGaps: false, latency: { ...good.latency, gap } })).toEqual([
    'gaps-between-chunks',
  ])
  expect(caveats({ outputTokens: { ...good.outputTokens, achieved: null } })).toEqual([
    'output-tokens-unknown',
  ])
})
