/** Every plan of examples/plans is valid as it stands, and runs: shortened, against a simulated server. */
import { readdirSync, readFileSync } from 'node:fs'
import type { PlanInput } from '@loadcurve/core/plan/schema'
import { validatePlan } from '@loadcurve/core/plan/validate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRun } from './support/follow.ts'
import { ServiceUnderTest } from './support/service.ts'

const FOLDER = new URL('../../examples/plans/', import.meta.url)
const NAMES = ['demo.json', 'interactive.json', 'api.json', 'agentic.json', 'batch.json']

let service: ServiceUnderTest
beforeAll(async () => {
  service = await ServiceUnderTest.start({
    queue: 'postgres',
    workers: 1,
    simulator: { preset: '8b-h100', speed: 4 },
  })
})
afterAll(() => service.stop())

const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as PlanInput

test('examples: each plan is listed here, and valid as it stands', () => {
  expect(readdirSync(FOLDER).sort()).toEqual([...NAMES].sort())
  for (const name of NAMES) expect(validatePlan(read(name), null).violations, name).toEqual([])
})

test.each(NAMES)(
  'examples: %s is measured and answered',
  async (name) => {
    const plan = read(name)
    const run = await startRun(service.client(), shortened(plan))
    const { run: ended, recommendation } = await run.ended
    expect(ended, ended.message ?? '').toMatchObject({ state: 'finished' })
    // Two short levels are too few for a recommendation, and the answer says so.
    expect(recommendation).toMatchObject({
      verdict: 'inconclusive',
      reasons: expect.arrayContaining(['too-few-levels']),
    })
  },
  90_000,
)

/** The same questions, on two levels of a second. */
function shortened(plan: PlanInput): PlanInput {
  const step = {
    minDurationS: 1,
    maxDurationS: 1.5,
    minRequests: 5,
    residences: 1,
    warmupResidences: 0.5,
    maxWarmupS: 1,
  }
  const { simulatorUrl } = service
  const urls = { controlUrl: `${simulatorUrl}/sim/control`, readyUrl: `${simulatorUrl}/health` }
  const sweep =
    plan.sweep?.mode === 'adaptive'
      ? { ...plan.sweep, adaptive: { start: 1, concurrencyMax: 2, refineLevels: 0 } }
      : { ...plan.sweep, concurrency: [1, 2] }
  return {
    ...plan,
    target: {
      ...plan.target,
      baseUrl: `${simulatorUrl}/v1`,
      model: 'sim/llama-8b',
      metricsUrl: `${simulatorUrl}/metrics`,
    },
    sweep: {
      ...sweep,
      verify: false,
      step: { ...step, extend: false },
      ...(plan.sweep?.batch?.control === 'server' ? { batch: { ...plan.sweep.batch, ...urls } } : {}),
    },
  }
}
