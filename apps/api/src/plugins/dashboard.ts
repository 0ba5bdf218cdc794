/**
 * The dashboard's files at `/`. Its pages have plain paths (`/runs/ID`), so whatever is neither a file nor a route of
 * the API answers with the one page that reads the path. Files carry a hash in their name and are cached for ever.
 */
import fastifyStatic from '@fastify/static'
import type { FastifyRequest } from 'fastify'
import type { Api } from '../api.ts'
import { sendProblem } from './problems.ts'

const API_PATHS = /^\/(v1|docs|metrics|healthz|readyz|openapi\.json)(\/|$|\?)/

export async function dashboard(app: Api): Promise<void> {
  const root = app.context.dashboardDir
  app.setNotFoundHandler((request, reply) => {
    if (root !== null && isPage(request)) return reply.sendFile('index.html')
    return sendProblem(reply, request, {
      status: 404,
      code: 'route-not-found',
      title: 'Not found',
      detail: `${request.method} ${request.url.split('?')[0]} is no route of this API. /docs lists them all.`,
    })
  })
  if (root !== null) await files(app, root)
}

async function files(app: Api, root: string): Promise<void> {
  // Registered last, so these are the dashboard's own files alone. Whoever has no key yet needs them to type one in.
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, public: true }
  })
  await app.register(fastifyStatic, {
    root,
    wildcard: false,
    index: false,
    setHeaders: (reply, path) => {
      const forever = path.includes('/assets/')
      reply.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  app.get('/', { config: { public: true }, schema: { hide: true } }, (_request, reply) =>
    reply.sendFile('index.html'),
  )
}

function isPage(request: FastifyRequest): boolean {
  const accepts = request.headers.accept ?? ''
  return request.method === 'GET' && !API_PATHS.test(request.url) && accepts.includes('text/html')
}
