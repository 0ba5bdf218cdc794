import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { startSimulator } from '@loadcurve/sim/http-server/server'
import { expect, test } from 'vitest'
import { MonotonicClock } from '../src/clock.ts'
import { requestSupply } from '../src/request-supply.ts'
import type { StepOrder } from '../src/step-order.ts'
import { openTarget, type Target } from '../src/target/agent.ts'
import { virtualOrder } from './virtual-target.ts'

const { workload, target: planTarget } = virtualOrder()
const clock = new MonotonicClock()

function open(baseUrl: string, endpoint: 'chat' | 'completions' = 'chat'): Target {
  const policy = parseTargetPolicy('')
  const common = { apiKey: null, headers: {}, connections: 2, policy, nowMs: () => clock.nowMs() }
  return openTarget({ ...common, baseUrl, endpoint })
}

const supply = (order: StepOrder, target: Target, salt = 1) =>
  requestSupply({ order, target, conversations: null, salt })

test('supply: the lengths of a request depend on the seed and its place alone', async () => {
  const target = open('http://127.0.0.1:1/v1')
  const drawn = virtualOrder({
    workload: { ...workload, inputTokens: { ...workload.inputTokens, stdev: 40 } },
  })
  const asked = (order: StepOrder, salt: number) =>
    [7, 8, 9].map((index) => supply(order, target, salt)(index).asked)
  expect(asked(drawn, 1)).toEqual(asked({ ...drawn, part: { shard: 1, shards: 2 } }, 2))
  expect(asked(drawn, 1)).not.toEqual(asked({ ...drawn, seed: 2 }, 1))
  await target.close()
})

test('supply: a trace brings its own lengths, again and again, and draws where it is silent', async () => {
  const target = open('http://127.0.0.1:1/v1')
  const arrivals = [
    { atS: 0, inputTokens: 11, outputTokens: 21 },
    { atS: 1, inputTokens: null, outputTokens: 22 },
  ]
  const arrival = { ...workload.arrival, process: 'trace' as const, trace: { file: null, arrivals } }
  const prepare = supply(virtualOrder({ workload: { ...workload, arrival } }), target)
  expect([0, 1, 2].map((index) => prepare(index).asked.outputTokens)).toEqual([21, 22, 21])
  expect(prepare(2).asked.inputTokens).toBe(11)
  await target.close()
})

test('supply: several sequences per request are prompts on completions and choices on chat', async () => {
  const simulator = await startSimulator({ speed: 4 })
  try {
    for (const endpoint of ['chat', 'completions'] as const) {
      const target = open(`${simulator.url}/v1`, endpoint)
      const order = virtualOrder({
        target: { ...planTarget, endpoint, model: simulator.options.model },
        workload: { ...workload, outputTokens: { ...workload.outputTokens, mean: 6, stdev: 0 } },
        sequencesPerRequest: 3,
      })
      const request = supply(order, target)(0)
      const result = await request.send({})
      expect(request.asked).toMatchObject({ outputTokens: 18, sequences: 3 })
      expect(result).toMatchObject({ outcome: 'ok', sequences: 3, outputTokens: 18 })
      await target.close()
    }
    const served = simulator.simulation.requests.between(0, Infinity)
    expect(served.map((it) => it.sequences)).toEqual([3, 3])
  } finally {
    await simulator.close()
  }
})
