import { TargetInputSchema, TargetSchema } from '@loadcurve/core/plan/target-schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

const least = { baseUrl: 'http://127.0.0.1:8000/v1', model: 'm' }

test('target schema: two fields are enough, and the defaults fill the rest', () => {
  expect(Value.Check(TargetInputSchema, least)).toBe(true)
  const filled = Value.Default(TargetInputSchema, { ...least })
  expect(Value.Errors(TargetSchema, filled)).toEqual([])
  expect(filled).toMatchObject({
    endpoint: 'chat',
    stream: true,
    apiKeyRef: null,
    metricsMapping: { engine: 'auto', series: null },
  })
  expect(filled).toMatchObject({
    deadlines: { connectMs: 10_000, totalMs: 600_000 },
    tls: { rejectUnauthorized: true },
  })
})

test.each(['sk-verysecret', 'a b', '', 'x'.repeat(65), '../x'])(
  'target schema: "%s" names no key',
  (apiKeyRef) => {
    expect(Value.Check(TargetInputSchema, { ...least, apiKeyRef })).toBe(false)
  },
)
