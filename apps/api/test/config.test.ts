import { expect, test } from 'vitest'
import { ConfigError, isLoopback, readConfig } from '../src/config.ts'
import { targetPolicy } from '../src/target-policy.ts'

test('config: defaults to loopback on port 4400 without keys', () => {
  expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 4400, apiKeys: [], logLevel: 'info' })
})

test('config: refuses to listen to strangers without keys', () => {
  expect(() => readConfig({ LOADCURVE_HOST: '0.0.0.0' })).toThrow(/LOADCURVE_API_KEYS is empty/)
  expect(readConfig({ LOADCURVE_HOST: '0.0.0.0', LOADCURVE_API_KEYS: 'k'.repeat(20) }).host).toBe('0.0.0.0')
})

test('config: every mistake is reported at once', () => {
  try {
    readConfig({
      LOADCURVE_HOST: '::',
      LOADCURVE_PORT: '70000',
      LOG_LEVEL: 'loud',
      LOADCURVE_API_KEYS: 'short',
    })
    expect.unreachable()
  } catch (error) {
    expect((error as ConfigError).violations).toHaveLength(3)
  }
})

test('config: what is loopback', () => {
  expect(['127.0.0.1', '127.1.2.3', 'localhost', '::1'].every(isLoopback)).toBe(true)
  expect(['0.0.0.0', '::', '10.0.0.1', '127.evil.example'].some(isLoopback)).toBe(false)
})

test('target policy: our own API, Postgres and Redis are no targets, whatever the list says', () => {
  const config = readConfig({
    DATABASE_URL: 'postgresql://u:p@127.0.0.1:5433/x',
    REDIS_URL: 'redis://127.0.0.1',
    LOADCURVE_TARGETS: '*',
  })
  const { ownEndpoints } = targetPolicy(config)
  expect(ownEndpoints.map(({ port }) => port).sort()).toEqual([4400, 5433, 6379])
  const wrong = { ...config, targets: 'ok.example, not a host!' }
  expect(() => targetPolicy(wrong)).toThrow(ConfigError)
})
