/** Our own ports, which are never a target: the API's, Postgres' and Redis'. */

export interface Endpoint {
  readonly host: string
  readonly port: number
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
}

export function ownEndpoints(env: Readonly<Record<string, string | undefined>>): Endpoint[] {
  const api = { host: env['LOADCURVE_HOST'] || '127.0.0.1', port: Number(env['LOADCURVE_PORT'] || 4400) }
  const services = [env['DATABASE_URL'], env['REDIS_URL']].flatMap((url) => endpointOf(url ?? ''))
  return [api, ...services].filter(({ port }) => Number.isInteger(port) && port > 0)
}

// A Unix socket has no port that a target could have.
function endpointOf(text: string): Endpoint[] {
  if (!URL.canParse(text)) return []
  const { protocol, hostname, port, searchParams } = new URL(text)
  if (hostname === '' || searchParams.get('host')?.startsWith('/')) return []
  return [{ host: hostname.toLowerCase(), port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) }]
}
