import { expect, test } from 'vitest'
import { knowsPromptLength, stepShape, stepTimeMs } from '../../src/fit/law.ts'
import { referenceLaw } from './reference-law.ts'

test('law: each form by hand', () => {
  expect(stepTimeMs(referenceLaw, 10)).toBeCloseTo(17.661 + 8.79301, 9)
  expect(stepTimeMs({ ...referenceLaw, form: 'sqrt', shapeMs: 2 }, 9)).toBeCloseTo(
    17.661 + 9 * 0.879301 + 6,
    9,
  )
  const moe = { ...referenceLaw, form: 'moe', shapeMs: 10, expertFraction: 0.25 } as const
  expect(stepTimeMs(moe, 2)).toBeCloseTo(17.661 + 2 * 0.879301 + 10 * (1 - 0.75 ** 2), 9)
  expect(stepShape('linear', null, 5)).toBe(0)
})

test('law: isotonic interpolates between its knots and is flat outside them', () => {
  const law = {
    ...referenceLaw,
    form: 'isotonic',
    knots: [
      { batch: 2, stepMs: 10 },
      { batch: 6, stepMs: 30 },
    ],
  } as const
  expect([1, 2, 3, 6, 9].map((batch) => stepTimeMs(law, batch))).toEqual([10, 10, 15, 30, 30])
  expect(() => stepTimeMs({ ...law, knots: [] }, 1)).toThrow('at least one knot')
})

test('law: prompts of unknown length are said to be so', () => {
  const curve = { law: referenceLaw, draws: [], outputTokens: 500, concurrencyMax: 250, batchMax: 86 }
  expect(knowsPromptLength({ ...curve, inputTokens: null })).toBe(false)
  expect(knowsPromptLength({ ...curve, inputTokens: 5000 })).toBe(true)
})
