import { getRecommendation } from '@loadcurve/store/recommendations'
import type { StoredRun } from '@loadcurve/store/runs'
import { getRun } from '@loadcurve/store/runs'
import { listSteps } from '@loadcurve/store/steps'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examplePlan, exampleReport } from '../../../packages/report/test/support/example-report.ts'
import { freshDatabase } from '../../../packages/store/test/support/fresh-database.ts'
import { finishedRun } from '../../../tests/end-to-end/support/finished-run.ts'
import { type AnswerParts, outlook } from '../src/answer.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

/** A run whose sweep is over, with what answering needs of its conductor. */
async function sweptRun(maxMs: number): Promise<AnswerParts> {
  const { db } = database
  const example = exampleReport()
  const { runId } = await finishedRun(db, {
    ...example,
    plan: { ...examplePlan, slo: [{ metric: 'tpot', percentile: 'mean', maxMs }] },
    steps: example.steps.filter(({ purpose, summary }) => purpose !== 'verify' && summary !== null),
    recommendation: null,
  })
  const run = (await getRun(db, runId)) as StoredRun
  const conductor = { lease: { db }, signal: new AbortController().signal }
  return {
    conductor,
    run,
    preflight: { report: { probes: [], fingerprint: null } },
  } as unknown as AnswerParts
}

const storedOf = ({ run }: AnswerParts) => getRecommendation(database.db, run.id)
const look = async (parts: AnswerParts, mayMeasure: (concurrency: number) => boolean) =>
  outlook(parts, { attempts: await listSteps(database.db, parts.run.id), mayMeasure })

describe('what the steps so far lead to', () => {
  test('a level is missing between two others: it is wanted, and nothing is promised or stored yet', async () => {
    // Levels at 4 and 8, and 6 or 7 sequences in 18 ms: as 8 they would take longer.
    const parts = await sweptRun(18)
    const asked: number[] = []
    const { wanted, promise } = await look(parts, (concurrency) => asked.push(concurrency) > 0)
    expect(wanted).toBeGreaterThan(4)
    expect(wanted).toBeLessThan(8)
    expect(asked).toEqual([wanted])
    expect(promise).toBeNull()
    expect(await storedOf(parts)).toBeNull()
  }, 60_000)

  test('it may not be measured: the answer stands, says so, and is stored', async () => {
    const parts = await sweptRun(18)
    expect(await look(parts, () => false)).toEqual({ wanted: null, promise: null })
    expect(await storedOf(parts)).toMatchObject({ reasons: ['batch-between-levels'], openLoop: {} })
  }, 60_000)

  test('nothing is missing: the promise, from the answer that is stored', async () => {
    const parts = await sweptRun(16)
    const { wanted, promise } = await look(parts, () => true)
    expect(wanted).toBeNull()
    const stored = await storedOf(parts)
    expect(stored?.openLoop?.maxRequestsPerS).toBeGreaterThan(0)
    expect(promise).toEqual({ ratePerS: stored?.openLoop?.maxRequestsPerS, batch: null })
    // Asked again, after a crash perhaps, it is not computed again.
    expect(await look(parts, () => true)).toEqual({ wanted, promise })
  }, 60_000)
})
