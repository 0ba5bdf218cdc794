import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeStepMs, fasterLaw, hiccupMs, prefillChunkMs, promptPrefillMs } from '../../src/model/law.ts'
import { PRESETS } from '../../src/presets/presets.ts'

const law = PRESETS['8b-h100'].law

test('law: a decode step adds up its parts', () => {
  // 6.8 + 0.021 * 10 + 0.000055 * 5000
  expect(decodeStepMs(law, 10, 5000)).toBeCloseTo(7.285, 12)
  // 2.52 + 0.045 * 2 + 5.65 * (1 - (124/128)^2)
  expect(decodeStepMs(PRESETS.moe.law, 2, 0)).toBeCloseTo(2.61 + 5.65 * (1 - 0.96875 ** 2), 12)
})

test('law: batches are padded to the next captured size, and beyond the last one not at all', () => {
  const padded = { ...law, capturedBatches: [1, 2, 4, 8] }
  for (const [batch, as] of [
    [0, 0],
    [1, 1],
    [3, 4],
    [8, 8],
    [9, 9],
  ] as const) {
    expect(decodeStepMs(padded, batch, 0)).toBe(decodeStepMs(law, as, 0))
  }
})

test('law: however a prompt is cut into chunks, its prefill costs the same', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 10 }), (chunks) => {
      let from = 0
      let sum = 0
      for (const tokens of chunks) {
        sum += prefillChunkMs(law, { from, to: from + tokens, first: from === 0 })
        from += tokens
      }
      expect(sum / promptPrefillMs(law, from)).toBeCloseTo(1, 9)
    }),
    { seed: 1 },
  )
})

test('law: hiccups fall into the step that is under way at their instant', () => {
  const hiccups = { ...law, hiccup: { everyMs: 1000, pauseMs: 50 } }
  expect(hiccupMs(law, 990, 20)).toBe(0)
  expect(hiccupMs(hiccups, 970, 20)).toBe(0)
  expect(hiccupMs(hiccups, 990, 20)).toBe(50)
  expect(hiccupMs(hiccups, 990, 2020)).toBe(150)
})

test('law: a faster server is faster in everything that takes time', () => {
  const fast = fasterLaw({ ...law, hiccup: { everyMs: 1000, pauseMs: 50 } }, 4)
  expect(decodeStepMs(fast, 12, 3456)).toBeCloseTo(decodeStepMs(law, 12, 3456) / 4, 12)
  expect(promptPrefillMs(fast, 700)).toBeCloseTo(promptPrefillMs(law, 700) / 4, 12)
  expect(fast.hiccup).toEqual({ everyMs: 250, pauseMs: 12.5 })
  expect(() => fasterLaw(law, 0)).toThrow('speed must be positive, got 0')
})
