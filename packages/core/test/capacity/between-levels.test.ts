import { recommend } from '@loadcurve/core/capacity/recommend'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { describe, expect, test } from 'vitest'
import { latency, levelWith } from '../measured.ts'

const tpot = (maxMs: number): SloTarget[] => [{ metric: 'tpot', percentile: 'mean', maxMs }]

/** A level on a line of 10 + 0.25 b ms. */
function levelAt(concurrency: number) {
  const tpotMs = 10 + 0.25 * concurrency
  const requestsPerS = (1000 * concurrency) / (50 + 199 * tpotMs)
  return levelWith({
    label: `${concurrency} clients`,
    concurrency,
    requestsPerS,
    outputTokensPerS: 200 * requestsPerS,
    outputTokens: 200,
    requests: 1000,
    ttftMs: latency({ mean: 50 }),
    tpotMs: latency({ mean: tpotMs }),
  })
}

/** The caveat of a sweep on that line, if it has one. */
function caveatOf(concurrencies: readonly number[], maxMs: number): string | undefined {
  const answer = recommend({
    levels: concurrencies.map(levelAt),
    inputTokens: null,
    outputTokens: null,
    experts: null,
    probes: [],
    seed: 1,
    draws: 100,
    slo: tpot(maxMs),
    hardware: null,
  })
  expect(answer.verdict).toBe('recommended')
  return answer.caveats.find((caveat) => caveat.startsWith('batch-between-levels'))
}

describe('a batch between two levels', () => {
  test('far from both, and too slow at the upper one: padding would break the promise', () => {
    // 28 ms are 72 sequences; a batch padded to 96 takes 34 ms.
    const caveat = caveatOf([1, 2, 4, 8, 16, 32, 64, 96, 128], 28)
    expect(caveat).toMatch(/between decode batches of 6\d and 9\d;/)
    expect(caveat).toMatch(/promised mean TPOT <= 28 ms/)
  })

  test('levels as dense as the usual stairs leave nothing unsaid', () => {
    expect(caveatOf([1, 2, 4, 8, 16, 32, 64, 70, 76, 82, 96, 128], 28)).toBeUndefined()
  })

  test('a promise that the upper level keeps as well is safe', () => {
    expect(caveatOf([1, 2, 4, 8, 16, 32, 64, 96, 128], 60)).toBeUndefined()
  })
})
