/**
 * The API's configuration: the one place where it reads its environment. Every mistake is reported at once, and a
 * service that would listen to strangers without asking for a key does not start.
 */
import { isIP } from 'node:net'

export interface ApiConfig {
  readonly host: string
  readonly port: number
  /** Plain keys from the environment; hashed before anything else sees them. */
  readonly apiKeys: readonly string[]
  readonly databaseUrl: string | null
  readonly redisUrl: string | null
  /** LOADCURVE_TARGETS as written; core/plan/target-policy reads it. */
  readonly targets: string | null
  readonly logLevel: string
  readonly bodyLimitBytes: number
  readonly requestsPerMinute: number
  /** Open SSE streams at a time. */
  readonly eventStreamsMax: number
}

export class ConfigError extends Error {
  readonly violations: readonly string[]
  constructor(violations: readonly string[]) {
    super(violations.join('\n'))
    this.violations = violations
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** @throws ConfigError with every violation, each naming its variable and what to do */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ApiConfig {
  const violations: string[] = []
  const host = env.LOADCURVE_HOST || '127.0.0.1'
  const port = readPort(env.LOADCURVE_PORT, violations)
  const apiKeys = readKeys(env.LOADCURVE_API_KEYS, violations)
  const logLevel = env.LOG_LEVEL || 'info'
  if (!LOG_LEVELS.includes(logLevel)) {
    violations.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}; got "${logLevel}".`)
  }
  if (!isLoopback(host) && apiKeys.length === 0) {
    violations.push(
      `LOADCURVE_HOST is ${host}, which others can reach, but LOADCURVE_API_KEYS is empty. ` +
        'Set at least one key, or listen on 127.0.0.1.',
    )
  }
  if (violations.length > 0) throw new ConfigError(violations)
  return {
    host,
    port,
    apiKeys,
    databaseUrl: env.DATABASE_URL || null,
    redisUrl: env.REDIS_URL || null,
    targets: env.LOADCURVE_TARGETS || null,
    logLevel,
    bodyLimitBytes: 2 * 1024 * 1024,
    requestsPerMinute: 600,
    eventStreamsMax: 200,
  }
}

/** Whether only this machine can reach a listening address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

function readPort(text: string | undefined, violations: string[]): number {
  if (text === undefined || text === '') return 4400
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port
  violations.push(`LOADCURVE_PORT must be a whole number from 0 to 65535; got "${text}".`)
  return 4400
}

function readKeys(text: string | undefined, violations: string[]): readonly string[] {
  const keys = (text ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  if (keys.some((key) => key.length < 16)) {
    violations.push(
      'LOADCURVE_API_KEYS holds a key of fewer than 16 characters; use e.g. "openssl rand -hex 24".',
    )
  }
  return keys
}
