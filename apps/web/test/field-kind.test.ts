import { PlanInputSchema } from '@loadcurve/core/plan/schema'
import { expect, test } from 'vitest'
import { fieldKind, fieldLabel, type JsonSchema } from '../src/parts/schema-form/field-kind.ts'

const schema = JSON.parse(JSON.stringify(PlanInputSchema)) as JsonSchema
const at = (...path: string[]): JsonSchema =>
  path.reduce<JsonSchema>((place, key) => {
    const inner = fieldKind(place).schema
    return inner.properties?.[key] ?? {}
  }, schema)

test('field kind: each part of the plan gets the control that fits it', () => {
  expect(fieldKind(at('name'))).toMatchObject({ kind: 'text', nullable: false })
  expect(fieldKind(at('target', 'endpoint'))).toMatchObject({
    kind: 'choice',
    options: ['chat', 'completions'],
  })
  expect(fieldKind(at('target', 'apiKeyRef'))).toMatchObject({ kind: 'text', nullable: true })
  expect(fieldKind(at('workload', 'ignoreEos')).kind).toBe('boolean')
  expect(fieldKind(at('sweep', 'concurrency')).kind).toBe('numbers')
  expect(fieldKind(at('limits', 'maxRequests')).kind).toBe('integer')
  expect(fieldKind(at('demand'))).toMatchObject({ kind: 'group', nullable: true })
  expect(fieldKind(at('target', 'headers')).kind).toBe('json')
  const slo = fieldKind(at('slo'))
  expect(slo.kind).toBe('rows')
  const percentile = slo.kind === 'rows' ? slo.item.properties?.['percentile'] : undefined
  expect(fieldKind(percentile ?? {})).toMatchObject({ kind: 'number-or-word', words: ['mean'] })
})

test('field kind: every field of the plan has help in words', () => {
  const without: string[] = []
  const walk = (part: JsonSchema, path: string) => {
    const inner = fieldKind(part).schema
    if (path !== '' && inner.description === undefined) without.push(path)
    for (const [key, child] of Object.entries(inner.properties ?? {})) walk(child, `${path}.${key}`)
  }
  walk(schema, '')
  expect(without).toEqual([])
})

test('field label: reads as words, with its unit', () => {
  expect(fieldLabel('pricePerGpuHour')).toBe('Price per GPU hour')
  expect(fieldLabel('maxMs')).toBe('Max (ms)')
  expect(fieldLabel('thinkTimeS')).toBe('Think time (s)')
  expect(fieldLabel('peakRequestsPerS')).toBe('Peak requests per s')
  expect(fieldLabel('baseUrl')).toBe('Base URL')
})
