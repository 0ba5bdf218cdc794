/** The OpenAPI document at /openapi.json and its reader at /docs, both made from the schemas that validate. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'

const DESCRIPTION = `Measures an LLM inference server under stepped concurrency and arrival rates, fits its
latency-throughput curve, and recommends a batch size and a fleet.

Submit a plan, start a run, follow its events, read the recommendation. Every error is a problem document (RFC 9457)
with a stable \`code\` and, for wrong input, every violation with its path. Unknown values are \`null\`.`

export const openapi = plugin(async (app: FastifyInstance, options: { version: string }) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Loadcurve',
        version: options.version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
      security: [{}, { apiKey: [] }],
      tags: [
        { name: 'plans', description: 'What to test.' },
        { name: 'runs', description: 'Executions of a plan and what came out.' },
        { name: 'schedules', description: 'Nightly sweeps and their trend.' },
        { name: 'tools', description: 'Fit a table of your own; the GPU and model catalogue.' },
        { name: 'operations', description: 'Health and metrics.' },
      ],
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema-${index}`),
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, uiConfig: { docExpansion: 'list' } })
  app.get('/openapi.json', { config: { public: true }, schema: { hide: true } }, async () => app.swagger())
})
