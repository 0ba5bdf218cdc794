import { recommend } from '@loadcurve/core/capacity/recommend'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { describe, expect, test } from 'vitest'
import { type PaddedServer, paddedSweep } from './padding-fixture.ts'

const DOUBLING = [1, 2, 4, 8, 16, 32, 64, 128]

function answer(server: PaddedServer, maxMs: number, captureSizes: readonly number[] | null = null) {
  const slo: SloTarget[] = [{ metric: 'tpot', percentile: 'mean', maxMs }]
  const { verdict, reasons, batch, caveats } = recommend({
    levels: paddedSweep(server),
    inputTokens: null,
    outputTokens: null,
    experts: null,
    probes: [],
    seed: 1,
    draws: 100,
    slo,
    hardware: null,
    captureSizes,
  })
  const doubts = caveats.filter((caveat) => caveat.startsWith('batch-between-levels'))
  const rests = caveats.filter((caveat) => caveat.startsWith('batch-rests-on-ttft'))
  return { verdict, reasons, batch, doubts, rests }
}

describe('the batch to set, between two levels', () => {
  test('too far apart: not even a smaller batch is good on all servers, so none is given', () => {
    // 21 ms are 44 sequences if nothing is padded; as 64 they take 26 ms, and 32 leave a fifth of the throughput.
    const { verdict, reasons, batch, doubts } = answer({ concurrencies: DOUBLING }, 21)
    expect(verdict).toBe('inconclusive')
    expect(reasons).toEqual(['batch-between-levels'])
    expect(batch.recommended).toBeNull()
    expect(doubts).toHaveLength(1)
    expect(doubts[0]).toMatch(
      /runs 4\d as slowly as 64, in 26\.\d ms, promised mean TPOT <= 21 ms; 32 keeps the promises either way, with less throughput; a level at a concurrency of 3[67] would tell/,
    )
    expect(batch.levelWanted?.concurrency).toBeGreaterThan(32)
    expect(batch.levelWanted?.concurrency).toBeLessThan(50)
  })

  test('the level that is asked for settles it', () => {
    const wanted = answer({ concurrencies: DOUBLING }, 21).batch.levelWanted?.concurrency ?? 0
    const { verdict, batch } = answer({ concurrencies: [...DOUBLING, wanted] }, 21)
    expect(verdict).toBe('recommended')
    expect(batch.recommended).toBeGreaterThanOrEqual(40)
    expect(batch.recommended).toBeLessThanOrEqual(44)
  })

  test('and where the server does pad, the answer is the size below', () => {
    const captured = DOUBLING
    const wanted = answer({ concurrencies: DOUBLING, captured }, 21).batch.levelWanted?.concurrency ?? 0
    const concurrencies = [...DOUBLING, wanted].sort((left, right) => left - right)
    const { verdict, batch, doubts } = answer({ concurrencies, captured }, 21)
    expect(verdict).toBe('recommended')
    expect(batch).toMatchObject({ recommended: 32, interval: [32, 32] })
    expect(doubts).toEqual([])
  })

  test('near enough: the smaller batch, and what is in doubt', () => {
    // 27.5 ms are 70 sequences; 64 lose 3 % of their throughput and keep the promise on every server.
    const { verdict, batch, doubts } = answer({ concurrencies: DOUBLING }, 27.5)
    expect(verdict).toBe('recommended')
    expect(batch.recommended).toBe(64)
    expect(batch.interval?.[1]).toBeGreaterThanOrEqual(68)
    expect(doubts[0]).toContain('leave it open whether the server pads')
    expect(batch.levelWanted?.batch).toBeGreaterThan(64)
  })

  test('whoever says that nothing is padded gets the batch of the curve', () => {
    const { batch, doubts } = answer({ concurrencies: DOUBLING }, 21, [])
    expect(batch.recommended).toBeGreaterThanOrEqual(41)
    expect(doubts).toEqual([])
    expect(batch.levelWanted).toBeNull()
  })

  test('whoever says to what it is padded gets the largest size that keeps the promise', () => {
    const { batch, doubts } = answer(
      { concurrencies: DOUBLING },
      21,
      [1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64],
    )
    expect(batch.recommended).toBe(40)
    expect(doubts).toEqual([])
    expect(batch.levelWanted).toBeNull()
  })

  test('a batch that holds only if the TTFT is prefill says so, and which level would tell', () => {
    const server = { concurrencies: DOUBLING, ttftMs: 62 }
    const { verdict, batch, doubts, rests } = answer(server, 21)
    expect(verdict).toBe('recommended')
    expect(batch.recommended).toBeGreaterThanOrEqual(40)
    expect(doubts).toEqual([])
    expect(rests).toHaveLength(1)
    expect(rests[0]).toMatch(
      /if part of it is a delay, a server that pads runs 4\d as slowly as 64, in 2[56]\.\d ms, promised mean TPOT <= 21 ms; a level at a concurrency of 3[67] would tell/,
    )
    // A little above 32, where the sizes 40, 48 and 64 all show.
    expect(batch.levelWanted?.batch).toBe(36)
    expect(answer(server, 21, []).rests).toEqual([])
  })

  test('that level settles it, whether the TTFT was prefill or a delay before a server that pads', () => {
    const server = { concurrencies: DOUBLING, ttftMs: 62 }
    const wanted = answer(server, 21).batch.levelWanted?.concurrency ?? 0
    const concurrencies = [...DOUBLING, wanted].sort((left, right) => left - right)
    const unpadded = answer({ ...server, concurrencies }, 21)
    expect(unpadded.batch.recommended).toBeGreaterThanOrEqual(40)
    const padded = answer({ ...server, concurrencies, captured: DOUBLING }, 21)
    expect(padded.batch.recommended).toBe(32)
    expect([...unpadded.rests, ...padded.rests]).toEqual([])
  })

  test('levels off the sizes leave nothing to doubt', () => {
    const { batch, doubts } = answer({ concurrencies: [1, 2, 5, 10, 20, 40, 50, 70, 100] }, 21)
    expect(batch.recommended).toBeGreaterThanOrEqual(41)
    expect(doubts).toEqual([])
  })

  test('a promise that the upper level keeps as well is safe', () => {
    expect(answer({ concurrencies: DOUBLING }, 60).doubts).toEqual([])
  })
})
