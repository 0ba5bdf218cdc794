import { ConfigError, readConfig } from '@loadcurve/worker/config'
import { ownEndpoints } from '@loadcurve/worker/own-endpoints'
import { expect, test } from 'vitest'

const DATABASE_URL = 'postgresql://user:s3cret-password@db.example:5433/loadcurve'

test('config: every mistake is reported at once, with its variable', () => {
  const read = () =>
    readConfig({ LOG_LEVEL: 'loud', LOADCURVE_LOAD_PROCESSES: '-1', LOADCURVE_TARGETS: 'good.example, b@d' })
  expect(read).toThrow(ConfigError)
  try {
    read()
  } catch (error) {
    const { violations } = error as ConfigError
    for (const name of ['DATABASE_URL', 'LOG_LEVEL', 'LOADCURVE_LOAD_PROCESSES', 'LOADCURVE_TARGETS']) {
      expect(
        violations.filter((violation) => violation.includes(name)),
        name,
      ).toHaveLength(1)
    }
  }
})

test('config: defaults, and what each variable changes', () => {
  const defaults = readConfig({ DATABASE_URL })
  expect(defaults).toMatchObject({ redisUrl: null, targets: null, logLevel: 'info' })
  expect(defaults.loadProcesses).toBeGreaterThanOrEqual(1)
  expect(defaults.retention).toEqual({ samplesDays: 90, runsDays: null })
  const changed = readConfig({
    DATABASE_URL,
    REDIS_URL: 'redis://:redis-password@cache:6380',
    LOADCURVE_LOAD_PROCESSES: '3',
    LOADCURVE_KEEP_SAMPLES_DAYS: '0',
    LOADCURVE_TARGET_KEY_PROD: 'sk-very-secret',
  })
  expect(changed).toMatchObject({ loadProcesses: 3, retention: { samplesDays: null } })
  expect(changed.secrets).toEqual(['sk-very-secret', 's3cret-password', 'redis-password'])
})

test('own endpoints: the API, Postgres and Redis by host and port; a socket has none', () => {
  expect(ownEndpoints({ DATABASE_URL, REDIS_URL: 'redis://Cache' })).toEqual([
    { host: '127.0.0.1', port: 4400 },
    { host: 'db.example', port: 5433 },
    { host: 'cache', port: 6379 },
  ])
  expect(
    ownEndpoints({ LOADCURVE_PORT: '0', DATABASE_URL: 'postgresql://u@localhost/d?host=%2Ftmp%2Fs' }),
  ).toEqual([])
})
