import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { describe, expect, test } from 'vitest'
import { bestFullBatchPerS, fullBatch, worstRatio } from './rate-truth.ts'
import { UNKNOWN_SERVERS } from './unknown-servers.ts'
import { questionOf, type VirtualServer, virtualTable, virtualTableToldApart } from './virtual-table.ts'

/** A promise may be exceeded by this much and no more. */
const EXCESS_MAX = 1.03
/** Of the rate that the server takes. */
const RATE_MIN = 0.85
/** Of the best batch that keeps the promise. */
const THROUGHPUT_MIN = 0.9

const hidesStairs = ({ name }: { readonly name: string }) => name.includes('levels')

/** What is said holds: the batch when it is full, the rate with that batch set. What is not said has a reason. */
function expectHonest(server: VirtualServer, { batch, openLoop, reasons }: Recommendation): void {
  const { recommended } = batch
  const ratePerS = openLoop?.maxRequestsPerS ?? null
  if (recommended === null || ratePerS === null) expect(reasons.length).toBeGreaterThan(0)
  if (recommended === null) return
  const { ratio, requestsPerS } = fullBatch(server, recommended)
  expect(ratio).toBeLessThanOrEqual(EXCESS_MAX)
  expect(requestsPerS).toBeGreaterThanOrEqual(
    THROUGHPUT_MIN * bestFullBatchPerS(server, server.law.maxNumSeqs),
  )
  if (ratePerS === null) return
  const tried = { ratePerS, arrivalCv: 1, batch: recommended, seeds: [11, 12, 13], requests: 2500 }
  expect(worstRatio(server, tried)).toBeLessThanOrEqual(EXCESS_MAX)
}

describe('laws that the fit does not know', () => {
  test.each(UNKNOWN_SERVERS)('$name: what is said holds, or is not said', { timeout: 120_000 }, (server) =>
    expectHonest(server, answerCapacity(questionOf(server, virtualTable(server, 5), 1))),
  )

  test.each(UNKNOWN_SERVERS.filter(hidesStairs))(
    '$name: the levels that the answer asks for are enough for a batch and a rate',
    { timeout: 120_000 },
    (server) => {
      expect(answerCapacity(questionOf(server, virtualTable(server, 5), 1)).batch.levelWanted).not.toBeNull()
      const told = answerCapacity(questionOf(server, virtualTableToldApart(server, 5), 1))
      expect(told.batch.recommended).not.toBeNull()
      expect(told.openLoop?.maxRequestsPerS).toBeGreaterThan(0)
      expectHonest(server, told)
      // And not far below what the server takes.
      const tried = { arrivalCv: 1, batch: told.batch.recommended ?? 0, seeds: [11, 12, 13], requests: 2500 }
      const ratePerS = (told.openLoop?.maxRequestsPerS ?? 0) / RATE_MIN
      expect(worstRatio(server, { ...tried, ratePerS })).toBeGreaterThan(1)
    },
  )

  test('hidden stairs behind a delay: a table says what it rests on, and a level tells', {
    timeout: 120_000,
  }, () => {
    const doubling = UNKNOWN_SERVERS.find(({ name }) => name.includes('sizes that double')) as VirtualServer
    const server = { ...doubling, delayMs: 60 }
    const alone = answerCapacity(questionOf(server, virtualTable(server, 5), 1))
    // The TTFT looks like prefill, which no padding makes longer: the very batch that the server is too slow for.
    expect(fullBatch(server, alone.batch.recommended ?? 0).ratio).toBeGreaterThan(EXCESS_MAX)
    expect(alone.caveats.join()).toMatch(
      /batch-rests-on-ttft: .*; a level at a concurrency of \d+ would tell/,
    )
    const told = answerCapacity(questionOf(server, virtualTableToldApart(server, 5), 1))
    expect(told.batch.recommended).not.toBeNull()
    expect(told.caveats.join()).not.toContain('rests-on-ttft')
    expectHonest(server, told)
  })
})
