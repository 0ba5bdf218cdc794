/** A plan over REST, measured by two workers, read back: on each home of the queues. */
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepResource } from '@loadcurve/core/run/resources'
import { afterEach, describe, expect, test } from 'vitest'
import { redisIsInstalled } from '../../packages/store/test/support/own-redis.ts'
import { startRun } from './support/follow.ts'
import { quickPlan } from './support/plans.ts'
import { childrenOf, hasProcessTable, isAlive } from './support/processes.ts'
import { differences, exportedSamples, realisedSteps } from './support/realised.ts'
import { ServiceUnderTest } from './support/service.ts'

let service: ServiceUnderTest | null = null
afterEach(async () => {
  await service?.stop()
  service = null
})

// Answers that last a second and more: on a busy machine a slot stands empty for some ms between two of them, and that
// must stay far below the two percent.
const workload = { inputTokens: { mean: 64 }, outputTokens: { mean: 96, stdev: 8 } }

describe.each(['postgres', 'redis'] as const)('a run with its queues on %s', (queue) => {
  test.runIf(queue !== 'redis' || redisIsInstalled)(
    'two workers share its steps, and every request is accounted for once',
    async () => {
      service = await ServiceUnderTest.start({ queue, workers: 2, simulator: { preset: 'small' } })
      const { witness, url } = service
      const run = await startRun(service.client(), quickPlan(service.simulatorUrl, { workload }))
      await run.seen('step-started')
      const before = (await witness.requests()).length
      const { run: ended } = await run.ended
      expect(ended).toMatchObject({ state: 'finished', reason: 'sweep-complete' })

      const { items } = (await (await fetch(`${url}/v1/runs/${run.id}/steps`)).json()) as {
        items: StepResource[]
      }
      expect(items.map(({ state, attempt, shardsCount }) => [state, attempt, shardsCount])).toEqual([
        ['finished', 1, 2],
        ['finished', 1, 2],
      ])
      const rows = await exportedSamples(url, run.id)
      const names = rows.map(({ step, attempt, index }) => `${step}/${attempt}/${index}`)
      expect(new Set(names).size).toBe(names.length)
      for (const { step, level, summary } of items) {
        const { requests, concurrency } = summary as StepSummary
        const own = rows.filter((row) => row.step === step)
        expect(own.length).toBe(requests.scheduled + requests.unmeasured)
        expect(own.filter(({ phase }) => phase === 'window').length).toBe(requests.scheduled)
        expect(new Set(own.map(({ shard }) => shard))).toEqual(new Set([0, 1]))
        expect(Math.abs((concurrency.achieved ?? 0) / (level.concurrency ?? 1) - 1)).toBeLessThan(0.02)
      }
      // What the client measured is what the server, by its own clock and its own writes, really did. The decode batch is
      // a product of throughput and residence: for that the few answers here are too few (`demo.soak.ts`).
      for (const step of await realisedSteps(url, service.simulatorUrl, run.id)) {
        const { outputTokensPerS, tpotMean } = differences(step)
        expect(Math.abs(outputTokensPerS)).toBeLessThan(0.05)
        expect(Math.abs(tpotMean)).toBeLessThan(0.05)
      }
      // The target saw each of them, and no other one.
      const sent = rows.filter(({ sentAtMs }) => sentAtMs !== null)
      expect((await witness.requests()).length - before).toBe(
        sent.reduce((sum, row) => sum + 1 + row.retries, 0),
      )
      await noProcessIsLeft(service)
      service = null
    },
    90_000,
  )
})

async function noProcessIsLeft(running: ServiceUnderTest): Promise<void> {
  const owners = [...running.workers, ...running.apis].map(({ pid }) => pid)
  const children = hasProcessTable ? owners.flatMap(childrenOf) : []
  await running.stop()
  expect([...owners, ...children].filter(isAlive)).toEqual([])
}
