/** Runs: start, list, read, cancel. */
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { pageOf, RunResource } from '@loadcurve/core/run/resources'
import { RUN_STATES } from '@loadcurve/core/run/state'
import { createRun, getRun, listRuns, requestCancel, runsAhead, type StoredRun } from '@loadcurve/store/runs'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { cursorOf, ListQuery, readCursor } from '../paging.ts'
import { checkPlan } from '../plan-check.ts'
import { conflict, failures, invalid, notFound } from '../problem.ts'
import { findPlan } from './plans.ts'

const tags = ['runs']

export async function runRoutes(app: Api): Promise<void> {
  startRoute(app)
  listRoute(app)
  readRoute(app)
  cancelRoute(app)
}

function startRoute(app: Api): void {
  app.post(
    '/v1/plans/:id/runs',
    {
      schema: {
        tags,
        summary: 'Start a run of a plan',
        description:
          'Runs are carried out one at a time, in the order in which they were asked for. ' +
          'With an Idempotency-Key the same request gives the same run again (200) instead of a second one (201).',
        params: IdParams,
        headers: Type.Object({
          'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        }),
        response: { 200: RunResource, 201: RunResource, ...failures(400, 401, 404, 422) },
      },
    },
    async (request, reply) => {
      const plan = await findPlan(app, request.params.id)
      // The policy may have become stricter since the plan was written.
      const violations = checkPlan(plan.input, app.context.policy)
      if (violations.length > 0) throw invalid('invalid-plan', violations)
      const { run, created } = await createRun(app.context.db, {
        planId: plan.id,
        planVersion: plan.version,
        plan: resolvePlan(plan.input),
        origin: 'manual',
        idempotencyKey: request.headers['idempotency-key'] ?? null,
      })
      if (created) await nudge(app, run.id)
      reply.code(created ? 201 : 200).header('location', `/v1/runs/${run.id}`)
      return runResource(app, run)
    },
  )
}

function listRoute(app: Api): void {
  app.get(
    '/v1/runs',
    {
      schema: {
        tags,
        summary: 'List runs, newest first',
        querystring: Type.Object(
          {
            ...ListQuery.properties,
            planId: Type.Optional(Type.String({ format: 'uuid' })),
            state: Type.Optional(Type.Enum([...RUN_STATES])),
          },
          { additionalProperties: false },
        ),
        response: { 200: pageOf(RunResource), ...failures(400, 401, 422) },
      },
    },
    async ({ query }) => {
      const { limit, planId, state } = query
      const page = await listRuns(app.context.db, { limit, planId, state, before: readCursor(query.cursor) })
      return {
        items: await Promise.all(page.runs.map((run) => runResource(app, run))),
        nextCursor: cursorOf(page.nextBefore),
      }
    },
  )
}

function readRoute(app: Api): void {
  app.get(
    '/v1/runs/:id',
    {
      schema: {
        tags,
        summary: 'Read a run',
        params: IdParams,
        response: { 200: RunResource, ...failures(400, 401, 404) },
      },
    },
    async ({ params }) => runResource(app, await findRun(app, params.id)),
  )
}

function cancelRoute(app: Api): void {
  app.post(
    '/v1/runs/:id/cancel',
    {
      schema: {
        tags,
        summary: 'Cancel a run',
        description: 'The load stops within two seconds. What was measured until then is kept.',
        params: IdParams,
        response: { 202: RunResource, ...failures(400, 401, 404, 409) },
      },
    },
    async ({ params }, reply) => {
      const run = await requestCancel(app.context.db, params.id)
      if (run === null) throw notFound('run', params.id)
      if (run.cancelRequestedAt === null) {
        throw conflict('run-is-over', `This run is ${run.state} already; there is nothing to cancel.`)
      }
      await nudge(app, run.id)
      return reply.code(202).send(await runResource(app, run))
    },
  )
}

/** @throws Problem when there is no such run */
export async function findRun(app: Api, id: string): Promise<StoredRun> {
  const run = await getRun(app.context.db, id)
  if (run === null) throw notFound('run', id)
  return run
}

// The reconciler finds the run anyway; a queue that is away must not turn a stored run into an error.
async function nudge(app: Api, runId: string): Promise<void> {
  await app.context
    .nudge(runId)
    .catch((error: unknown) => app.log.warn({ err: error, runId }, 'nudge failed'))
}

export async function runResource(app: Api, run: StoredRun): Promise<RunResource> {
  const instant = (date: Date | null) => date?.toISOString() ?? null
  return {
    id: run.id,
    planId: run.planId,
    planVersion: run.planVersion,
    planName: run.plan.name,
    plan: run.plan,
    origin: run.origin,
    state: run.state,
    reason: run.reason,
    message: run.message,
    runsAhead: run.state === 'waiting' ? await runsAhead(app.context.db, run.sequence) : 0,
    preflight: run.preflight,
    fingerprintHash: run.fingerprintHash,
    dueAt: instant(run.dueAt),
    cancelRequestedAt: instant(run.cancelRequestedAt),
    createdAt: run.createdAt.toISOString(),
    startedAt: instant(run.startedAt),
    finishedAt: instant(run.finishedAt),
  }
}
