import { expect, test } from 'vitest'
import { readFitOptions } from '../../src/fit/fit-options.ts'
import { idleOptions } from '../../src/fit/idle-options.ts'

const idle = (texts: Parameters<typeof readFitOptions>[0]) => idleOptions(readFitOptions(texts, []))

test('idle options: a price without a demand and a model without a GPU are said to change nothing', () => {
  expect(idle({ price: '3' })).toEqual([expect.stringContaining('--price has no effect without --demand')])
  expect(idle({ model: 'Llama-3.1-8B' })).toEqual([expect.stringContaining('--model without --gpu')])
})

test('idle options: with what they need there is nothing to say', () => {
  expect(idle({ price: '3', demand: '10' })).toEqual([])
  expect(idle({ model: 'Llama-3.1-8B', gpu: 'H100-SXM' })).toEqual([])
  expect(idle({})).toEqual([])
})
