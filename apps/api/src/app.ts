/**
 * The API as a Fastify plugin tree: what it needs is handed in, nothing listens. `server.ts` listens; tests inject.
 * Order matters: validation and errors first, then keys and limits, then the document, then the routes it describes.
 */
import Fastify, { type FastifyBaseLogger } from 'fastify'
import type { ApiConfig } from './config.ts'
import type { ApiContext } from './context.ts'
import { authentication } from './plugins/authentication.ts'
import { dashboard } from './plugins/dashboard.ts'
import { openapi } from './plugins/openapi.ts'
import { problems } from './plugins/problems.ts'
import { security } from './plugins/security.ts'
import { validation } from './plugins/validation.ts'
import { ProblemDetails } from './problem.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { compareRoutes } from './routes/compare.ts'
import { fitRoutes } from './routes/fit.ts'
import { operationsRoutes } from './routes/operations.ts'
import { planSchemaRoutes } from './routes/plan-schema.ts'
import { planRoutes } from './routes/plans.ts'
import { recommendationRoutes } from './routes/recommendation.ts'
import { reportRoutes } from './routes/report.ts'
import { runEventRoutes } from './routes/run-events.ts'
import { runRoutes } from './routes/runs.ts'
import { sampleRoutes } from './routes/samples.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { stepRoutes } from './routes/steps.ts'
import { trendRoutes } from './routes/trend.ts'
import { whatIfRoutes } from './routes/what-if.ts'
import { VERSION } from './version.ts'

export interface AppOptions {
  readonly config: ApiConfig
  readonly context: ApiContext
  readonly logger: FastifyBaseLogger
}

export async function buildApp({ config, context, logger }: AppOptions) {
  const app = Fastify({
    loggerInstance: logger,
    bodyLimit: config.bodyLimitBytes,
    // An id from outside would let a stranger forge lines of our log.
    requestIdHeader: false,
    // Streams that a dashboard follows must not hold a shutdown up.
    forceCloseConnections: true,
    return503OnClosing: true,
  })
  app.decorate('context', context)
  app.addSchema(ProblemDetails)
  await app.register(validation)
  await app.register(problems)
  await app.register(security, { requestsPerMinute: config.requestsPerMinute })
  await app.register(authentication, {
    keys: config.apiKeys,
    findKey: context.findKey,
    anyKey: context.anyKey,
  })
  await app.register(openapi, { version: VERSION })
  for (const routes of [
    operationsRoutes,
    planRoutes,
    planSchemaRoutes,
    runRoutes,
    stepRoutes,
    runEventRoutes,
    sampleRoutes,
    recommendationRoutes,
    whatIfRoutes,
    reportRoutes,
    compareRoutes,
    scheduleRoutes,
    trendRoutes,
    fitRoutes,
    catalogueRoutes,
  ]) {
    await app.register(routes)
  }
  // Called, not registered: its answer to what is not found is that of the whole service.
  await dashboard(app)
  return app
}
