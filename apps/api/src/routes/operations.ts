/** What an operator's tools read: liveness, readiness, Prometheus metrics; and who is there to do the work. */
import { connectedWorkers } from '@loadcurve/store/workers'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { failures, Problem } from '../problem.ts'
import { VERSION } from '../version.ts'

const tags = ['operations']
const READY_TIMEOUT_MS = 2_000

export async function operationsRoutes(app: Api): Promise<void> {
  app.get(
    '/healthz',
    {
      config: { public: true, rateLimit: false },
      schema: { tags, summary: 'Is the process alive', response: { 200: Health } },
    },
    async () => ({ status: 'ok' as const, version: VERSION }),
  )

  app.get(
    '/readyz',
    {
      config: { public: true, rateLimit: false },
      schema: {
        tags,
        summary: 'Can it serve: does Postgres answer',
        response: { 200: Health, ...failures(503) },
      },
    },
    async () => {
      if (!(await databaseAnswers(app))) {
        throw new Problem({
          status: 503,
          code: 'database-unavailable',
          title: 'Not ready',
          detail: 'Postgres does not answer. Check DATABASE_URL and the server behind it.',
        })
      }
      return { status: 'ok' as const, version: VERSION }
    },
  )

  app.get(
    '/v1/workers',
    {
      schema: {
        tags,
        summary: 'The workers that are connected now',
        response: { 200: Type.Object({ items: Type.Array(Worker) }), ...failures(401) },
      },
    },
    async () => {
      const workers = await connectedWorkers(app.context.db)
      return { items: workers.map((worker) => ({ ...worker, seenAt: worker.seenAt.toISOString() })) }
    },
  )

  await prometheus(app)
}

async function prometheus(app: Api): Promise<void> {
  const register = new Registry()
  collectDefaultMetrics({ register, prefix: 'loadcurve_api_' })
  const duration = new Histogram({
    name: 'loadcurve_api_request_duration_seconds',
    help: 'Time to answer a request of the API',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [register],
  })
  const runs = new Gauge({
    name: 'loadcurve_runs',
    help: 'Runs in the store by state',
    labelNames: ['state'],
    registers: [register],
  })
  const workers = new Gauge({ name: 'loadcurve_workers', help: 'Connected workers', registers: [register] })
  app.addHook('onResponse', async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
    }
    duration.observe(labels, reply.elapsedTime / 1000)
  })
  app.get(
    '/metrics',
    {
      config: { rateLimit: false },
      schema: { tags, summary: 'Prometheus metrics', response: { 200: Type.String() } },
    },
    async (_request, reply) => {
      const counts = await app.context.db
        .selectFrom('runs')
        .select(['state', ({ fn }) => fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute()
      runs.reset()
      for (const { state, count } of counts) runs.set({ state }, Number(count))
      workers.set((await connectedWorkers(app.context.db)).length)
      return reply.type(register.contentType).send(await register.metrics())
    },
  )
}

async function databaseAnswers(app: Api): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) =>
    setTimeout(() => resolve(false), READY_TIMEOUT_MS).unref(),
  )
  const answer = app.context.db
    .selectFrom('runs')
    .select('id')
    .limit(1)
    .execute()
    .then(
      () => true,
      () => false,
    )
  return Promise.race([answer, timeout])
}

const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String() })

const Worker = Type.Object({
  id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  version: Type.String(),
  loadProcesses: Type.Integer({ description: 'Load processes that it may run at a time.' }),
  seenAt: Type.String({ format: 'date-time' }),
})
