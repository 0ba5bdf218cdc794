/**
 * Bearer keys. Keys are compared as SHA-256 digests in constant time, so neither their text nor their length leaks
 * through timing. Without any key configured the API serves loopback only (config.ts refuses the rest).
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { Problem } from '../problem.ts'

export interface AuthenticationOptions {
  /** Keys from the environment. */
  readonly keys: readonly string[]
  /** Digests (hex SHA-256) of the keys in the store that are not revoked. */
  readonly storedDigests: () => Promise<readonly string[]>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Reachable without a key: health, metrics of liveness, the dashboard's own files. */
    public?: boolean
  }
  interface FastifyInstance {
    /** Whether a key is asked for at all; the dashboard shows its sign-in by it. */
    authenticationRequired: () => Promise<boolean>
  }
}

export const digestKey = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex')

export const authentication = plugin(async (app: FastifyInstance, options: AuthenticationOptions) => {
  const configured = options.keys.map(digestKey)
  const digests = async () => [...configured, ...(await options.storedDigests())]
  app.decorate('authenticationRequired', async () => (await digests()).length > 0)

  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.public === true) return
    const accepted = await digests()
    if (accepted.length === 0) return
    const key = readKey(request)
    if (key !== null && matchesAny(digestKey(key), accepted)) return
    throw new Problem({
      status: 401,
      code: key === null ? 'api-key-missing' : 'api-key-unknown',
      title: 'Unauthorised',
      detail:
        key === null
          ? 'This API asks for a key: send it as "Authorization: Bearer KEY".'
          : 'That key is not known here. Keys are set in LOADCURVE_API_KEYS on the server.',
      headers: { 'www-authenticate': 'Bearer' },
    })
  })
})

function readKey(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

// Every digest is compared, also after a match: the time taken must not tell which one it was.
function matchesAny(digest: string, accepted: readonly string[]): boolean {
  const given = Buffer.from(digest, 'hex')
  let found = false
  for (const candidate of accepted) {
    if (timingSafeEqual(given, Buffer.from(candidate, 'hex'))) found = true
  }
  return found
}
