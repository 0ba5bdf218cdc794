import { schemaViolations } from '@loadcurve/core/plan/schema-violations'
import { Type } from 'typebox'
import { expect, test } from 'vitest'

const inner = Type.Object(
  { size: Type.Integer({ minimum: 1, description: 'How large' }) },
  { additionalProperties: false },
)
const schema = Type.Object(
  {
    kind: Type.Enum(['left', 'right'], { description: 'Which side' }),
    inner: Type.Union([inner, Type.Null()], { description: 'The inner thing' }),
    share: Type.Union([Type.Number({ maximum: 1 }), Type.Literal('all')], {
      description: 'A share or "all"',
    }),
    tags: Type.Array(Type.String({ pattern: '^[a-z]+$' }), {
      uniqueItems: true,
      maxItems: 3,
      description: 'Tags',
    }),
  },
  { additionalProperties: false },
)
const good = { kind: 'left', inner: null, share: 'all', tags: [] }
const found = (changes: object) =>
  schemaViolations(schema, { ...good, ...changes }).map(({ path, code, message }) => ({
    path,
    code,
    message,
  }))

test('schema violations: what fits has none', () => {
  expect(found({})).toEqual([])
  expect(found({ inner: { size: 3 }, share: 0.5, tags: ['a'] })).toEqual([])
})

test('schema violations: each in a sentence with the value', () => {
  expect(found({ kind: 'up' })).toEqual([
    { path: 'kind', code: 'not-a-choice', message: 'kind must be one of left, right, got "up"' },
  ])
  expect(found({ tags: 'x' })).toEqual([
    { path: 'tags', code: 'wrong-type', message: 'tags must be an array, got "x"' },
  ])
  expect(found({ tags: ['a', 'B'] })).toEqual([
    { path: 'tags[1]', code: 'malformed', message: 'tags[1] is not of the expected form, got "B"' },
  ])
  expect(found({ tags: ['a', 'a'] })).toMatchObject([{ path: 'tags', code: 'not-unique' }])
  expect(found({ tags: ['a', 'b', 'c', 'd'] })).toMatchObject([{ path: 'tags', code: 'out-of-range' }])
})

test('schema violations: inside "X or null", what is wrong with it as an X', () => {
  expect(found({ inner: { size: 0 } })).toMatchObject([{ path: 'inner.size', code: 'out-of-range' }])
  expect(found({ inner: {} })).toMatchObject([{ path: 'inner.size', code: 'missing-field' }])
  expect(found({ inner: { size: 1, sise: 2 } })).toMatchObject([
    { path: 'inner.sise', code: 'unknown-field' },
  ])
  expect(found({ inner: 4 })).toEqual([
    { path: 'inner', code: 'wrong-type', message: 'inner must be an object, got 4' },
  ])
})

test('schema violations: of two types, the one that the value has', () => {
  expect(found({ share: 2 })).toMatchObject([{ path: 'share', code: 'out-of-range' }])
  expect(found({ share: true })).toHaveLength(1)
})

test('schema violations: what to do is the field’s own description', () => {
  expect(schemaViolations(schema, { ...good, inner: { size: 'x' } })[0]?.whatToDo).toBe('How large')
  expect(schemaViolations(schema, { ...good, inner: 4 })[0]?.whatToDo).toBe('The inner thing')
})
