/** The schedule of a plan: set, read with its next runs and its history, delete. */
import { ScheduleResource } from '@loadcurve/core/run/resources'
import { nextDueTimes, scheduleViolations } from '@loadcurve/store/schedule-times'
import {
  deleteSchedule,
  type Firing,
  getSchedule,
  type StoredSchedule,
  scheduleHistory,
  setSchedule,
} from '@loadcurve/store/schedules'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { failures, invalid, Problem } from '../problem.ts'
import { findPlan } from './plans.ts'

const tags = ['schedules']
const NEXT_RUNS = 5
const HISTORY_MAX = 50

const ScheduleInput = Type.Object(
  {
    cron: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Minute, hour, day of month, month, day of week; with six fields the first is the second.',
      examples: ['30 2 * * *'],
    }),
    timeZone: Type.String({
      default: 'UTC',
      minLength: 1,
      maxLength: 64,
      description:
        'IANA name. An instant that the spring change skips is due after the gap; one that autumn repeats, once.',
      examples: ['Europe/Berlin'],
    }),
    enabled: Type.Boolean({ default: true }),
  },
  { additionalProperties: false },
)

export async function scheduleRoutes(app: Api): Promise<void> {
  setRoute(app)
  readRoute(app)
  deleteRoute(app)
}

function setRoute(app: Api): void {
  app.put(
    '/v1/plans/:id/schedule',
    {
      schema: {
        tags,
        summary: 'Set the schedule of a plan',
        description:
          'Runs that were missed are not piled up: the latest is made up for, the others are counted.',
        params: IdParams,
        body: ScheduleInput,
        response: { 200: ScheduleResource, ...failures(400, 401, 404, 422) },
      },
    },
    async ({ params, body }) => {
      await findPlan(app, params.id)
      const violations = scheduleViolations(body)
      if (violations.length > 0) {
        throw invalid(
          'invalid-schedule',
          violations.map(({ path, message }) => ({
            path: path.replace(/^\//, ''),
            code: 'schedule',
            message,
            whatToDo: '',
          })),
        )
      }
      const schedule = await setSchedule(app.context.db, params.id, body, app.context.nowMs())
      return resource(app, schedule)
    },
  )
}

function readRoute(app: Api): void {
  app.get(
    '/v1/plans/:id/schedule',
    {
      schema: {
        tags,
        summary: 'Read the schedule of a plan',
        params: IdParams,
        response: { 200: ScheduleResource, ...failures(400, 401, 404) },
      },
    },
    async ({ params }) => {
      await findPlan(app, params.id)
      const schedule = await getSchedule(app.context.db, params.id)
      if (schedule === null) throw noSchedule(params.id)
      return resource(app, schedule)
    },
  )
}

function deleteRoute(app: Api): void {
  app.delete(
    '/v1/plans/:id/schedule',
    {
      schema: {
        tags,
        summary: 'Delete the schedule of a plan',
        params: IdParams,
        response: { 204: Type.Null(), ...failures(400, 401, 404) },
      },
    },
    async ({ params }, reply) => {
      await findPlan(app, params.id)
      if (!(await deleteSchedule(app.context.db, params.id))) throw noSchedule(params.id)
      return reply.code(204).send(null)
    },
  )
}

async function resource(app: Api, schedule: StoredSchedule): Promise<ScheduleResource> {
  const history = await scheduleHistory(app.context.db, schedule.planId, HISTORY_MAX)
  const nextRuns = schedule.enabled
    ? nextDueTimes(schedule, { afterMs: app.context.nowMs(), count: NEXT_RUNS })
    : []
  return {
    planId: schedule.planId,
    cron: schedule.cron,
    timeZone: schedule.timeZone,
    enabled: schedule.enabled,
    nextRuns: nextRuns.map((date) => date.toISOString()),
    history: history.map(firing),
  }
}

function firing({
  dueAt,
  outcome,
  runId,
  missedCount,
  message,
}: Firing): ScheduleResource['history'][number] {
  return { dueAt: dueAt.toISOString(), outcome, runId, missedCount, message }
}

const noSchedule = (planId: string): Problem =>
  new Problem({
    status: 404,
    code: 'schedule-not-found',
    title: 'Not found',
    detail: `Plan ${planId} has no schedule. PUT one to set it.`,
  })
