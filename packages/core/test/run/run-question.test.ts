import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { levelsOfRun, questionOfRun } from '@loadcurve/core/run/run-question'
import { expect, test } from 'vitest'
import { lawAttempt } from './law-attempts.ts'

const target = { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' }
const question = (plan: object, server: Parameters<typeof questionOfRun>[0]['server'] = null) =>
  questionOfRun({ plan: resolvePlan({ name: 'p', target, ...plan }), attempts: [], probes: [], server })

test('levels of a run: finished steps, each once, under the number that people see', () => {
  const levels = levelsOfRun([
    lawAttempt(1, { step: 0, state: 'abandoned', summary: null }),
    lawAttempt(1, { step: 0, attempt: 2 }),
    lawAttempt(4, { step: 1, state: 'failed', summary: null }),
    lawAttempt(8, { step: 2 }),
  ])
  expect(levels.map(({ label, concurrency, excluded }) => [label, concurrency, excluded])).toEqual([
    ['step 1', 1, null],
    ['step 3', 8, null],
  ])
})

test('levels of a run: the held-out one is named and kept out, the verify step is no level at all', () => {
  const verify = lawAttempt(8, { step: 3, purpose: 'verify' })
  const levels = levelsOfRun([lawAttempt(1), lawAttempt(4, { purpose: 'held-out' }), verify])
  expect(levels.map(({ concurrency, excluded }) => [concurrency, excluded])).toEqual([
    [1, null],
    [4, 'held-out'],
  ])
})

test('levels of a run: rates are not mixed into a closed-loop curve, and stand alone without one', () => {
  const { summary, ...attempt } = lawAttempt(4)
  const level = { batch: null, concurrency: null, ratePerS: 2 }
  const rate = {
    ...attempt,
    level,
    summary: summary === null ? null : { ...summary, level, loop: 'open' as const },
  }
  expect(levelsOfRun([lawAttempt(1), rate]).map(({ kind }) => kind)).toEqual(['closed-loop'])
  expect(levelsOfRun([rate]).map(({ kind }) => kind)).toEqual(['open-loop'])
})

test('question of a run: arrivals as the plan has them; a ramp is taken for independent users', () => {
  const arrival = (fields: object) => question({ workload: { arrival: fields } }).traffic.arrival
  expect(arrival({})).toEqual({ process: 'poisson' })
  expect(arrival({ process: 'gamma', cv: 2 })).toEqual({ process: 'gamma', cv: 2 })
  expect(arrival({ process: 'ramp' })).toEqual({ process: 'poisson' })
  const arrivals = [{ atS: 5 }, { atS: 5.5 }, { atS: 7 }].map((each) => ({
    ...each,
    inputTokens: null,
    outputTokens: null,
  }))
  expect(arrival({ process: 'trace', trace: { file: null, arrivals } })).toEqual({
    process: 'trace',
    offsetsMs: [0, 500, 2000],
  })
})

test('question of a run: what the model and the server tell is used, and unknown stays null', () => {
  expect(question({})).toMatchObject({ experts: null, stepTokens: null, hardware: null, demand: null })
  expect(question({ hardware: { gpu: 'H100-SXM', model: 'Mixtral-8x7B' } }).experts).toEqual({
    total: 8,
    perToken: 2,
  })
  expect(question({}, { settings: { max_num_batched_tokens: 2048 } }).stepTokens).toBe(2048)
  expect(question({}, { settings: { max_num_batched_tokens: 'auto' } }).stepTokens).toBeNull()
})

test('question of a run: latency is asked for at a quarter to nine tenths of the largest measured throughput', () => {
  expect(question({}).ratesPerS).toEqual([])
  const attempts = [1, 8, 4].map((concurrency, step) => lawAttempt(concurrency, { step }))
  const largestPerS = Math.max(...attempts.map(({ summary }) => summary?.requestsPerS ?? 0))
  const plan = resolvePlan({ name: 'p', target })
  const { ratesPerS } = questionOfRun({ plan, attempts, probes: [], server: null })
  // Three digits are kept: half a unit of the third is at most 0.5 %.
  for (const [place, share] of [0.25, 0.5, 0.65, 0.75, 0.83, 0.9].entries()) {
    expect(Math.abs((ratesPerS[place] ?? 0) / (share * largestPerS) - 1)).toBeLessThan(0.005)
  }
})
