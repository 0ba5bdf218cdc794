import { describe, expect, test } from 'vitest'
import { UsageTally } from '../../src/wire/usage.ts'

const usage = (prompt: number, completion: number, details: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...details,
})

describe('usage: what is summed and what replaces what', () => {
  test('one closing report', () => {
    const tally = new UsageTally()
    tally.addUsage(
      usage(28, 16, {
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 7 },
      }),
      1,
    )
    expect(tally.counts(1)).toEqual({
      inputTokens: 28,
      outputTokens: 16,
      reasoningTokens: 7,
      cachedInputTokens: 4,
    })
  })

  test('n = 2 on llama.cpp: one closing report per choice, the prompt is shared', () => {
    const tally = new UsageTally()
    tally.addUsage(usage(28, 8), 1)
    tally.addUsage(usage(28, 6), 2)
    expect(tally.counts(1)).toMatchObject({ inputTokens: 28, outputTokens: 14 })
  })

  test('several prompts, one report each: inputs add up', () => {
    const tally = new UsageTally()
    tally.addUsage(usage(3, 8), 1)
    tally.addUsage(usage(4, 6), 2)
    expect(tally.counts(2)).toMatchObject({ inputTokens: 7, outputTokens: 14 })
  })

  test('a count so far is replaced, not added', () => {
    const tally = new UsageTally()
    tally.addUsage(usage(28, 2), 0)
    tally.addUsage(usage(28, 16), 1)
    expect(tally.counts(1).outputTokens).toBe(16)
  })

  test('the closing report again is not added', () => {
    const tally = new UsageTally()
    tally.addUsage(usage(28, 16), 1)
    tally.addUsage(usage(28, 16), 1)
    expect(tally.counts(1).outputTokens).toBe(16)
  })

  test('a cut stream has the count so far', () => {
    const tally = new UsageTally()
    tally.addUsage(usage(28, 2), 0)
    expect(tally.counts(1).outputTokens).toBe(2)
  })

  test('running totals: differences are the tokens of each event, also over an event without text', () => {
    const tally = new UsageTally()
    const tokens = [1, 4, 6].map((total) => {
      tally.addChoiceUsage(usage(9, total), 0)
      // The event with total 5 has no text: nobody asks for its tokens.
      if (total === 4) tally.addChoiceUsage(usage(9, 5), 0)
      return tally.tokensOfEvent(0)
    })
    expect(tokens).toEqual([1, 4, 1])
    expect(tally.counts(1).outputTokens).toBe(6)
  })

  test('running totals of several choices: the sum is known, the tokens of an event are not', () => {
    const tally = new UsageTally()
    tally.addChoiceUsage(usage(9, 3), 0)
    tally.addChoiceUsage(usage(9, 2), 1)
    expect(tally.tokensOfEvent(1)).toBeNull()
    expect(tally.counts(1).outputTokens).toBe(5)
  })

  test('timings fill in where usage is missing, and cached tokens belong to the prompt', () => {
    const tally = new UsageTally()
    tally.addTimings({ prompt_n: 1, cache_n: 27, predicted_n: 5 }, 0)
    tally.addTimings({ prompt_n: 1, cache_n: 27, predicted_n: 8 }, 0)
    expect(tally.counts(1)).toEqual({
      inputTokens: 28,
      outputTokens: 8,
      reasoningTokens: null,
      cachedInputTokens: 27,
    })
    tally.addUsage(usage(28, 9), 1)
    expect(tally.counts(1).outputTokens).toBe(9)
  })

  test('nothing said, or nonsense said: unknown, not zero', () => {
    const tally = new UsageTally()
    expect(tally.counts(1)).toEqual({
      inputTokens: null,
      outputTokens: null,
      reasoningTokens: null,
      cachedInputTokens: null,
    })
    tally.addUsage({ prompt_tokens: -1, completion_tokens: '12' }, 1)
    expect(tally.counts(1).outputTokens).toBeNull()
  })
})
