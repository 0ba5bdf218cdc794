import { createPlan, deletePlan, getPlan, listPlans, replacePlan } from '@loadcurve/store/plans'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, unknownId } from './support/fresh-database.ts'
import { planInput } from './support/plan.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())

test('plans: come back as they were written, and an edit counts the version up', async () => {
  const created = await createPlan(store.db, planInput)
  expect(await getPlan(store.db, created.id)).toEqual(created)
  expect(created).toMatchObject({ name: 'a plan', version: 1, input: planInput })

  const edited = await replacePlan(store.db, created.id, { ...planInput, name: 'another name', seed: 7 })
  expect(edited).toMatchObject({ id: created.id, name: 'another name', version: 2 })
  expect(await getPlan(store.db, created.id)).toEqual(edited)
})

test('plans: a name may hold any character, even the one that Postgres cannot store', async () => {
  const { id } = await createPlan(store.db, {
    ...planInput,
    name: 'plan',
    workload: { profile: 'api' },
    target: { ...planInput.target, model: 'nul \u0000 \\u0000 "quoted" 🚀' },
  })
  const plan = await getPlan(store.db, id)
  expect(plan?.input.target.model).toContain('"quoted" 🚀')
})

test('plans: pages follow one another without gap or repetition, newest first', async () => {
  const created: string[] = []
  for (let n = 0; n < 5; n++) created.push((await createPlan(store.db, planInput)).id)
  const seen: string[] = []
  let before: number | undefined
  for (let page = 0; page < 3; page++) {
    const { plans, nextBefore } = await listPlans(store.db, { limit: 2, before })
    seen.push(...plans.map(({ id }) => id))
    before = nextBefore ?? undefined
  }
  expect(seen.slice(0, 5)).toEqual(created.reverse())
})

test('plans: a deleted one is gone from view, and cannot be deleted or edited again', async () => {
  const { id } = await createPlan(store.db, planInput)
  expect(await deletePlan(store.db, id)).toBe(true)
  expect(await getPlan(store.db, id)).toBeNull()
  expect(await deletePlan(store.db, id)).toBe(false)
  expect(await replacePlan(store.db, id, planInput)).toBeNull()
  expect(await getPlan(store.db, unknownId())).toBeNull()
})
