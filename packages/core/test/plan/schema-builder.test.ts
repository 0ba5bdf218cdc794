import { filled, nullable, written } from '@loadcurve/core/plan/schema-builder'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

const fields = { a: Type.Number(), b: nullable(Type.String({ description: 'a text' })) }

test('schema builder: written asks only for what is required, filled for everything, neither for more', () => {
  const input = written(fields, ['a'], { description: 'x' })
  const output = filled(fields, 'x')
  const fits = (value: unknown) => [Value.Check(input, value), Value.Check(output, value)]
  expect(fits({ a: 1, b: null })).toEqual([true, true])
  expect(fits({ a: 1 })).toEqual([true, false])
  expect(fits({ b: 'x' })).toEqual([false, false])
  expect(fits({ a: 1, b: null, c: 1 })).toEqual([false, false])
})

test('schema builder: what may be null is null by default, and keeps its description', () => {
  expect(Value.Default(written(fields, ['a'], { description: 'x' }), { a: 1 })).toEqual({ a: 1, b: null })
  expect(fields.b).toMatchObject({ description: 'a text', default: null })
})
