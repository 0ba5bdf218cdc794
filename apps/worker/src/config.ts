/** The worker's configuration: the one place where it reads its environment. Every mistake is reported at once. */
import { availableParallelism } from 'node:os'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { passwordOf } from '@loadcurve/core/run/redact'
import { type Endpoint, ownEndpoints } from './own-endpoints.ts'

export interface WorkerConfig {
  readonly databaseUrl: string
  /** Null: the queues live in Postgres. */
  readonly redisUrl: string | null
  /** How many load processes this worker runs at a time. */
  readonly loadProcesses: number
  /** LOADCURVE_TARGETS as written; null allows loopback only. */
  readonly targets: string | null
  /** Our own ports, which are never a target. */
  readonly ownEndpoints: readonly Endpoint[]
  readonly logLevel: string
  readonly retention: { readonly samplesDays: number | null; readonly runsDays: number | null }
  /** Values that nobody may see in a log or a message. */
  readonly secrets: readonly string[]
}

export class ConfigError extends Error {
  readonly violations: readonly string[]
  constructor(violations: readonly string[]) {
    super(violations.join('\n'))
    this.name = 'ConfigError'
    this.violations = violations
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const LOAD_PROCESSES_MAX = 256

type Environment = Readonly<Record<string, string | undefined>>

/** @throws ConfigError with every violation, each naming its variable and what to do */
export function readConfig(env: Environment): WorkerConfig {
  const violations: string[] = []
  const databaseUrl = env['DATABASE_URL'] ?? ''
  if (databaseUrl === '') {
    violations.push('DATABASE_URL is not set. "loadcurve up" starts a local Postgres and sets it.')
  }
  const logLevel = env['LOG_LEVEL'] || 'info'
  if (!LOG_LEVELS.includes(logLevel)) {
    violations.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}; got "${logLevel}".`)
  }
  const count = (name: string, fallback: number, max: number) =>
    readCount({ env, name, fallback, max, violations })
  const config = {
    databaseUrl,
    redisUrl: env['REDIS_URL'] || null,
    // Half of the cores: the other half belongs to the target when it runs here, and to this process.
    loadProcesses: count(
      'LOADCURVE_LOAD_PROCESSES',
      Math.max(1, availableParallelism() >> 1),
      LOAD_PROCESSES_MAX,
    ),
    targets: readTargets(env, violations),
    ownEndpoints: ownEndpoints(env),
    logLevel,
    retention: {
      samplesDays: orNever(count('LOADCURVE_KEEP_SAMPLES_DAYS', 90, 36_500)),
      runsDays: orNever(count('LOADCURVE_KEEP_RUNS_DAYS', 0, 36_500)),
    },
    secrets: secretsOf(env),
  }
  if (violations.length > 0) throw new ConfigError(violations)
  return config
}

// 0 keeps for ever.
const orNever = (days: number) => (days === 0 ? null : days)

function readTargets(env: Environment, violations: string[]): string | null {
  const targets = env['LOADCURVE_TARGETS'] || null
  try {
    if (targets !== null) parseTargetPolicy(targets)
  } catch (error) {
    violations.push(`LOADCURVE_TARGETS: ${(error as Error).message}.`)
  }
  return targets
}

function readCount(variable: {
  readonly env: Environment
  readonly name: string
  readonly fallback: number
  readonly max: number
  readonly violations: string[]
}): number {
  const { env, name, fallback, max, violations } = variable
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= max) return value
  violations.push(`${name} must be a whole number from 0 to ${max}; got "${text}".`)
  return fallback
}

function secretsOf(env: Environment): string[] {
  const named = Object.entries(env)
    .filter(([name]) => name.startsWith('LOADCURVE_TARGET_KEY_'))
    .map(([, value]) => value ?? '')
  const passwords = [env['DATABASE_URL'], env['REDIS_URL']].map((url) => passwordOf(url ?? ''))
  return [...named, ...passwords, ...(env['LOADCURVE_API_KEYS'] ?? '').split(',')].filter(
    (secret) => secret !== '',
  )
}
