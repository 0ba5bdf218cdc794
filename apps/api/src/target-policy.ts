/** Which targets this service allows: the operator's list, and never our own API, Postgres or Redis. */
import { parseTargetPolicy, type TargetPolicy } from '@loadcurve/core/plan/target-policy'
import { type ApiConfig, ConfigError } from './config.ts'

/** @throws ConfigError quoting what in LOADCURVE_TARGETS is no host, pattern or address block */
export function targetPolicy(config: ApiConfig): TargetPolicy {
  const own = [
    { host: config.host, port: config.port },
    ...[config.databaseUrl, config.redisUrl].flatMap((url) => endpointOf(url)),
  ]
  try {
    return parseTargetPolicy(config.targets ?? '', own)
  } catch (error) {
    throw new ConfigError([`LOADCURVE_TARGETS: ${(error as Error).message}.`])
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
}

function endpointOf(url: string | null): { host: string; port: number }[] {
  if (url === null || !URL.canParse(url)) return []
  const { hostname, port, protocol } = new URL(url)
  return [{ host: hostname.toLowerCase(), port: port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port) }]
}
