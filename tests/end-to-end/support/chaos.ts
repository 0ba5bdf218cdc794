/**
 * One seeded calamity in the middle of a run, and what must be true afterwards: the run ends, what was measured is
 * measured once, the interrupted attempt is visible and repeated, and the target saw no load that nobody conducted.
 */
import type { Sample } from '@loadcurve/core/metrics/sample'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { type Random, seededRandom } from '@loadcurve/core/random'
import { openAttempts, type StepAttempt } from '@loadcurve/core/run/history'
import { listShards } from '@loadcurve/store/shards'
import { listSteps, type StoredStep } from '@loadcurve/store/steps'
import { expect } from 'vitest'
import { type StartedRun, startRun } from './follow.ts'
import { quickPlan } from './plans.ts'
import { childrenOf, isAlive } from './processes.ts'
import { ServiceUnderTest } from './service.ts'
import { monotonicMs, monotonicOf } from './witness.ts'

export const CALAMITIES = ['load-process', 'conductor', 'api', 'postgres', 'redis'] as const
export type Calamity = (typeof CALAMITIES)[number]

/** Longest life of load after its attempt lost its conductor or a part of itself, ms. */
const LOAD_OUTLIVES_MS = 2_000

/** Runs a plan with one calamity at a moment drawn from the seed. */
export async function surviveCalamity(calamity: Calamity, seed: number): Promise<void> {
  const random = seededRandom(seed, calamity)
  const service = await ServiceUnderTest.start({
    queue: calamity === 'redis' ? 'redis' : 'postgres',
    workers: 2,
    simulator: { preset: 'small' },
  })
  const everything = new Set<number>()
  try {
    const run = await startRun(service.client(), quickPlan(service.simulatorUrl))
    // A moment in the warm-up, the window or the tail of the first or the second step.
    const step = random() < 0.5 ? 0 : 1
    await run.seen('step-progress', (data) => data['step'] === step)
    await new Promise((resolve) => setTimeout(resolve, random() * 2500))
    remember(service, everything)
    const open = await openSteps(service, run.id)
    const struckAtMs = monotonicMs()
    await strike(service, calamity, random)
    remember(service, everything)
    await assertSurvived(service, { run, calamity, struckAtMs, open })
  } finally {
    remember(service, everything)
    await service.stop()
  }
  await expect.poll(() => [...everything].filter(isAlive), { timeout: 5_000 }).toEqual([])
}

async function openSteps(service: ServiceUnderTest, runId: string): Promise<StepAttempt[]> {
  const { db, close } = service.database()
  try {
    return openAttempts(await listSteps(db, runId))
  } finally {
    await close()
  }
}

function remember({ workers, apis }: ServiceUnderTest, everything: Set<number>): void {
  for (const { pid } of [...workers, ...apis]) {
    for (const process of [pid, ...childrenOf(pid)]) everything.add(process)
  }
}

async function strike(service: ServiceUnderTest, calamity: Calamity, random: Random): Promise<void> {
  switch (calamity) {
    case 'load-process': {
      const children = service.workers.flatMap(({ pid }) => childrenOf(pid))
      const victim = children[Math.floor(random() * children.length)]
      if (victim !== undefined) process.kill(victim, 'SIGKILL')
      return
    }
    case 'conductor': {
      const conductor = service.workers.find((worker) => /run (started|resumed)/.test(worker.output()))
      if (conductor === undefined) throw new Error('nobody conducts')
      await conductor.kill()
      service.forget(conductor)
      await service.startWorker()
      return
    }
    case 'api': {
      const [api] = service.apis
      if (api === undefined) throw new Error('no API is running')
      const { port } = new URL(service.url)
      await api.kill()
      service.forget(api)
      await service.startApi(port)
      return
    }
    case 'postgres':
      return service.restartPostgres()
    case 'redis':
      return service.emptyRedis()
  }
}

async function assertSurvived(
  service: ServiceUnderTest,
  strike: { run: StartedRun; calamity: Calamity; struckAtMs: number; open: readonly StepAttempt[] },
): Promise<void> {
  const { run, calamity, struckAtMs, open } = strike
  const { run: ended } = await run.ended
  expect(ended, service.output()).toMatchObject({ state: 'finished', reason: 'sweep-complete' })
  expect(run.events.map(({ id }) => id)).toEqual(run.events.map((_, place) => place + 1))
  const { db, close } = service.database()
  try {
    const attempts = await listSteps(db, run.id)
    const interrupted = attempts.filter(({ state }) => state !== 'finished')
    const cut = open.filter(({ step, attempt }) =>
      interrupted.some((one) => one.step === step && one.attempt === attempt),
    )
    // The API is not in the way of a step that is being measured; an empty Redis is only when it had a shard to bring.
    if (calamity === 'api') expect(interrupted).toEqual([])
    else if (calamity !== 'redis') expect(cut).toEqual(open)
    for (const { step, attempt } of interrupted) {
      const again = attempts.find((other) => other.step === step && other.attempt === attempt + 1)
      expect(again, 'an interrupted step is repeated').toBeDefined()
    }
    for (const finished of attempts.filter(({ state }) => state === 'finished')) {
      await assertCountedOnce(service, db, finished)
    }
    await assertNoStrayLoad(service, { attempts, interrupted, struckAtMs })
  } finally {
    await close()
  }
}

async function assertCountedOnce(
  service: ServiceUnderTest,
  db: Parameters<typeof listShards>[0],
  step: StoredStep,
): Promise<void> {
  const shards = await listShards(db, step)
  const stored = shards.reduce((sum, { samplesCount }) => sum + (samplesCount ?? 0), 0)
  const { requests } = step.summary as StepSummary
  expect(stored).toBe(requests.scheduled + requests.unmeasured)
  const response = await fetch(`${service.url}/v1/runs/${step.runId}/samples?step=${step.step}`)
  const rows = (await response.text()).split('\n').filter((line) => line !== '')
  const indexes = rows.map((row) => (JSON.parse(row) as Sample).index)
  expect(indexes.length).toBe(stored)
  expect(new Set(indexes).size).toBe(stored)
}

async function assertNoStrayLoad(
  service: ServiceUnderTest,
  history: { attempts: readonly StoredStep[]; interrupted: readonly StoredStep[]; struckAtMs: number },
): Promise<void> {
  const requests = await service.witness.requests()
  const starts = history.attempts.flatMap(({ startAt }) => (startAt === null ? [] : [monotonicOf(startAt)]))
  for (const startAtMs of starts) {
    // An attempt meets nothing of the one before it. Both clocks are the machine's; mapping one on the other errs by ms.
    const across = requests.filter(
      ({ arrivedAtMs, endedAtMs }) =>
        arrivedAtMs < startAtMs - 50 && (endedAtMs ?? Infinity) > startAtMs + 50,
    )
    expect(across).toEqual([])
  }
  if (history.interrupted.length === 0) return
  const deadlineAtMs = history.struckAtMs + LOAD_OUTLIVES_MS
  const nextStartAtMs = Math.min(...starts.filter((startAtMs) => startAtMs > history.struckAtMs))
  const stray = requests.filter(
    ({ arrivedAtMs, endedAtMs }) =>
      (endedAtMs ?? Infinity) > deadlineAtMs && arrivedAtMs < nextStartAtMs - 50,
  )
  expect(stray.filter(({ arrivedAtMs }) => arrivedAtMs > history.struckAtMs - 60_000)).toEqual([])
}
