/**
 * Bearer keys. The configured ones are compared as SHA-256 digests in constant time, so neither their text nor their
 * length leaks through timing; those in the store are looked up by their hash. Without any key the API serves loopback
 * only (config.ts refuses the rest).
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { Problem } from '../problem.ts'

export interface AuthenticationOptions {
  /** Keys from the environment. */
  readonly keys: readonly string[]
  readonly findKey: (key: string) => Promise<boolean>
  readonly anyKey: () => Promise<boolean>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Reachable without a key: health, the API's description, the dashboard's own files. */
    public?: boolean
  }
}

export const authentication = plugin(async (app: FastifyInstance, options: AuthenticationOptions) => {
  const configured = options.keys.map(digest)

  app.addHook('onRequest', async (request) => {
    // What is no route answers 404 to everybody; it has nothing to protect.
    if (request.routeOptions.config.public === true || request.is404) return
    const key = readKey(request)
    if (key !== null && (matchesAny(digest(key), configured) || (await options.findKey(key)))) return
    if (configured.length === 0 && !(await options.anyKey())) return
    throw unauthorised(key)
  })
})

function unauthorised(key: string | null): Problem {
  return new Problem({
    status: 401,
    code: key === null ? 'api-key-missing' : 'api-key-unknown',
    title: 'Unauthorised',
    detail:
      key === null
        ? 'This API asks for a key: send it as "Authorization: Bearer KEY".'
        : 'That key is not known here. Keys are set in LOADCURVE_API_KEYS on the server.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function readKey(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

const digest = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest()

// Every digest is compared, also after a match: the time taken must not tell which one it was.
function matchesAny(given: Buffer, accepted: readonly Buffer[]): boolean {
  let found = false
  for (const candidate of accepted) {
    if (timingSafeEqual(given, candidate)) found = true
  }
  return found
}
