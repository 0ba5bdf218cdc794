/** Plans: create, validate without creating, list, read, replace, delete. */
import { estimatePlan } from '@loadcurve/core/plan/estimate'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { type PlanInput, PlanInputSchema, PlanSchema } from '@loadcurve/core/plan/schema'
import { PlanResource, pageOf } from '@loadcurve/core/run/resources'
import {
  createPlan,
  deletePlan,
  getPlan,
  listPlans,
  replacePlan,
  type StoredPlan,
} from '@loadcurve/store/plans'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { cursorOf, ListQuery, readCursor } from '../paging.ts'
import { checkPlan } from '../plan-check.ts'
import { compileExceptBody } from '../plugins/validation.ts'
import { failures, invalid, notFound, Violation } from '../problem.ts'

const tags = ['plans']

export async function planRoutes(app: Api): Promise<void> {
  createRoute(app)
  validateRoute(app)
  listRoute(app)
  readRoute(app)
  replaceRoute(app)
  deleteRoute(app)
}

function createRoute(app: Api): void {
  app.post(
    '/v1/plans',
    {
      validatorCompiler: compileExceptBody,
      schema: {
        tags,
        summary: 'Create a plan',
        body: PlanInputSchema,
        response: { 201: PlanResource, ...failures(400, 401, 413, 422) },
      },
    },
    async (request, reply) => {
      const stored = await createPlan(app.context.db, accept(app, request.body))
      return reply.code(201).header('location', `/v1/plans/${stored.id}`).send(planResource(stored))
    },
  )
}

function validateRoute(app: Api): void {
  app.post(
    '/v1/plans/validate',
    {
      validatorCompiler: compileExceptBody,
      schema: {
        tags,
        summary: 'Check a plan without creating it',
        description:
          'Answers 200 also for an invalid plan: then `valid` is false and every violation is listed. ' +
          'For a valid one: the resolved plan and what a run of it would send and take.',
        body: PlanInputSchema,
        response: { 200: Validation, ...failures(400, 401, 413) },
      },
    },
    async (request) => {
      const violations = checkPlan(request.body, app.context.policy)
      if (violations.length > 0)
        return { valid: false, violations: [...violations], resolved: null, estimate: null }
      const resolved = resolvePlan(request.body as PlanInput)
      return { valid: true, violations: [], resolved, estimate: estimatePlan(resolved) }
    },
  )
}

function listRoute(app: Api): void {
  app.get(
    '/v1/plans',
    {
      schema: {
        tags,
        summary: 'List plans, newest first',
        querystring: ListQuery,
        response: { 200: pageOf(PlanResource), ...failures(400, 401) },
      },
    },
    async ({ query }) => {
      const page = await listPlans(app.context.db, { limit: query.limit, before: readCursor(query.cursor) })
      return { items: page.plans.map(planResource), nextCursor: cursorOf(page.nextBefore) }
    },
  )
}

function readRoute(app: Api): void {
  app.get(
    '/v1/plans/:id',
    {
      schema: {
        tags,
        summary: 'Read a plan',
        params: IdParams,
        response: { 200: PlanResource, ...failures(400, 401, 404) },
      },
    },
    async ({ params }) => planResource(await findPlan(app, params.id)),
  )
}

function replaceRoute(app: Api): void {
  app.put(
    '/v1/plans/:id',
    {
      validatorCompiler: compileExceptBody,
      schema: {
        tags,
        summary: 'Replace a plan',
        description: 'Runs keep the plan that they were started with.',
        params: IdParams,
        body: PlanInputSchema,
        response: { 200: PlanResource, ...failures(400, 401, 404, 413, 422) },
      },
    },
    async ({ params, body }) => {
      await findPlan(app, params.id)
      const stored = await replacePlan(app.context.db, params.id, accept(app, body))
      if (stored === null) throw notFound('plan', params.id)
      return planResource(stored)
    },
  )
}

function deleteRoute(app: Api): void {
  app.delete(
    '/v1/plans/:id',
    {
      schema: {
        tags,
        summary: 'Delete a plan and its schedule',
        description: 'Its runs stay readable.',
        params: IdParams,
        response: { 204: Type.Null(), ...failures(400, 401, 404) },
      },
    },
    async ({ params }, reply) => {
      if (!(await deletePlan(app.context.db, params.id))) throw notFound('plan', params.id)
      return reply.code(204).send(null)
    },
  )
}

/** @throws Problem when there is no such plan */
export async function findPlan(app: Api, id: string): Promise<StoredPlan> {
  const plan = await getPlan(app.context.db, id)
  if (plan === null) throw notFound('plan', id)
  return plan
}

function accept(app: Api, body: unknown): PlanInput {
  const violations = checkPlan(body, app.context.policy)
  if (violations.length > 0) throw invalid('invalid-plan', violations)
  return body as PlanInput
}

const Validation = Type.Object({
  valid: Type.Boolean(),
  violations: Type.Array(Violation),
  resolved: Type.Union([PlanSchema, Type.Null()]),
  estimate: Type.Unknown({
    description: 'Requests, tokens and minutes, with what was assumed; null when invalid.',
  }),
})

function planResource(plan: StoredPlan): PlanResource {
  return {
    id: plan.id,
    name: plan.name,
    version: plan.version,
    plan: plan.input,
    createdAt: plan.createdAt.toISOString(),
    updatedAt: plan.updatedAt.toISOString(),
  }
}
