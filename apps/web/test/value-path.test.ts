import { expect, test } from 'vitest'
import { pathText, readPath, replacePath } from '../src/parts/schema-form/value-path.ts'

test('value path: replaces a part deep inside, makes what is missing, and mutates nothing', () => {
  const before = { target: { model: 'm' }, slo: [{ maxMs: 1 }] }
  const frozen = structuredClone(before)
  expect(replacePath(before, ['target', 'model'], 'n')).toEqual({ ...before, target: { model: 'n' } })
  expect(replacePath(before, ['slo', 0, 'maxMs'], 2)).toEqual({ ...before, slo: [{ maxMs: 2 }] })
  expect(replacePath(before, ['demand', 'job', 'requests'], 5)).toEqual({
    ...before,
    demand: { job: { requests: 5 } },
  })
  expect(before).toEqual(frozen)
})

test('value path: undefined removes a field, so that its default applies again, and a row from its list', () => {
  expect(replacePath({ a: 1, b: 2 }, ['a'], undefined)).toEqual({ b: 2 })
  expect(replacePath({ rows: [1, 2, 3] }, ['rows', 1], undefined)).toEqual({ rows: [1, 3] })
})

test('value path: is spelt as violations spell it', () => {
  expect(pathText(['slo', 0, 'maxMs'])).toBe('slo[0].maxMs')
  expect(pathText([])).toBe('')
  expect(readPath({ slo: [{ maxMs: 7 }] }, ['slo', 0, 'maxMs'])).toBe(7)
  expect(readPath(null, ['slo'])).toBeUndefined()
})
