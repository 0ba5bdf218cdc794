/** A sweep too coarse for its server: the run measures the level that its answer finds missing. */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepResource } from '@loadcurve/core/run/resources'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRun } from './support/follow.ts'
import { quickPlan } from './support/plans.ts'
import { ServiceUnderTest } from './support/service.ts'

// Steps of 16 + 1.6 b ms, padded to powers of two: 9 to 16 sequences take 41.6 ms, and 8 take 28.8. No level shows it.
const law = {
  baseMs: 16,
  perSequenceMs: 1.6,
  maxNumSeqs: 40,
  capturedBatches: [1, 2, 4, 8, 16, 32, 64],
  prefill: { perPromptMs: 20, perTokenMs: 0.001, perTokenSquaredMs: 0 },
  noise: { stepCv: 0, prefillCv: 0 },
}

let service: ServiceUnderTest
beforeAll(async () => {
  service = await ServiceUnderTest.start({
    queue: 'postgres',
    workers: 1,
    simulator: { preset: 'small', law },
  })
})
afterAll(() => service.stop())

test('the level that would tell is measured, and the stairs are found', async () => {
  const plan = quickPlan(service.simulatorUrl, {
    workload: { inputTokens: { mean: 64 }, outputTokens: { mean: 30, stdev: 3 } },
    sweep: {
      // Four of these are enough for a fit.
      concurrency: [2, 4, 8, 16, 32],
      step: {
        minDurationS: 3,
        maxDurationS: 15,
        minRequests: 34,
        residences: 3,
        maxWarmupS: 1,
        // A disturbed load process is given another chance.
        extend: true,
      },
      repeatAnchor: false,
      holdOut: false,
    },
    // About 13 sequences on the line through the levels.
    slo: [{ metric: 'tpot', percentile: 'mean', maxMs: 45 }],
  })
  const run = await startRun(service.client(), plan)
  expect((await run.ended).run).toMatchObject({ state: 'finished' })
  const get = async (path: string) => (await fetch(`${service.url}/v1/runs/${run.id}/${path}`)).json()
  const { items } = (await get('steps')) as { items: StepResource[] }
  const answer = (await get('recommendation')) as Recommendation
  for (const { purpose, level, excluded, summary } of items) {
    if (summary === null) continue
    const { tpot, ttft } = (summary as StepSummary).latency
    console.log(
      `${purpose} ${level.concurrency}: TPOT ${tpot.mean} ms, TTFT ${ttft.mean} ms, ${excluded ?? 'sound'}`,
    )
  }
  console.log(
    `${answer.verdict} ${answer.batch.recommended}, ${answer.reasons.join(', ')} ${answer.caveats.join('; ')}`,
  )
  const between = items.filter(({ purpose, summary }) => purpose === 'between' && summary !== null)
  expect(between.length).toBeGreaterThanOrEqual(1)
  expect(between.length).toBeLessThanOrEqual(3)
  expect(between[0]?.level.concurrency).toBeGreaterThan(8)
  expect(between[0]?.level.concurrency).toBeLessThan(16)
  expect(answer.verdict).toBe('recommended')
  expect(answer.batch.recommended).toBe(8)
  expect(answer.caveats).toContain('server-pads-batch')
}, 300_000)
