import {
  cachedFraction,
  inputLengths,
  outputLengths,
  outputTokensInWindow,
  reasoningMean,
  wholeRunTokens,
} from '@loadcurve/core/metrics/tokens'
import { expect, test } from 'vitest'
import { failedAt, sampleOf, shardOf } from './records.ts'

test('tokens: those whose event arrived in the window count, by the share of the events', () => {
  const bundled = sampleOf({ outputTokens: 30, contentEvents: 10, contentEventsInWindow: 4 })
  const outside = sampleOf({ contentEventsInWindow: 0, outputTokens: null })
  expect(outputTokensInWindow([shardOf([bundled, outside]), shardOf([sampleOf()])])).toBe(12 + 11)
})

test('tokens: a successful request without a count makes the sum unknown, a failed one brings none', () => {
  const cut = failedAt(0, { contentEvents: 5, contentEventsInWindow: 5 })
  expect(outputTokensInWindow([shardOf([sampleOf(), cut])])).toBe(11)
  expect(outputTokensInWindow([shardOf([sampleOf({ outputTokens: null })])])).toBeNull()
  expect(wholeRunTokens([shardOf([sampleOf(), cut])])).toBe(11)
  expect(wholeRunTokens([shardOf([sampleOf({ outputTokens: null })])])).toBeNull()
})

test('tokens: achieved lengths beside those asked for, of successful requests', () => {
  const short = sampleOf({ outputTokensAsked: 20, outputTokens: 10, outputTokensSource: 'tokenizer' })
  expect(outputLengths([short, sampleOf({ outputTokensAsked: 20, outputTokens: 20 }), failedAt(0)])).toEqual({
    asked: 20,
    achieved: 15,
    differenceFraction: -0.25,
    source: 'mixed',
  })
  expect(inputLengths([sampleOf()])).toEqual({
    asked: 50,
    achieved: 50,
    differenceFraction: 0,
    source: 'usage',
  })
  expect(outputLengths([failedAt(0)])).toEqual({
    asked: null,
    achieved: null,
    differenceFraction: null,
    source: 'unknown',
  })
})

test('tokens: cached input over all input, of requests that tell', () => {
  const samples = [sampleOf({ cachedInputTokens: 40 }), sampleOf({ cachedInputTokens: 0 }), sampleOf()]
  expect(cachedFraction(samples)).toBe(0.4)
  expect(cachedFraction([sampleOf()])).toBeNull()
})

test('tokens: reasoning tokens are a part of the output, not added to it', () => {
  const samples = [sampleOf({ reasoningTokens: 4 }), sampleOf({ reasoningTokens: 8 }), sampleOf()]
  expect(reasoningMean(samples)).toBe(6)
  expect(outputLengths(samples).achieved).toBe(11)
  expect(reasoningMean([sampleOf()])).toBeNull()
})
