/**
 * Servers that pad in every way that engines do, or not at all, measured by people with four habits: whatever the levels
 * show or hide, a batch that is recommended keeps its promise when it is full, and a rate keeps it too.
 */
import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { PRESETS } from '@loadcurve/sim/presets/presets'
import { expect, test } from 'vitest'
import { fullBatch, worstRatio } from './rate-truth.ts'
import { questionOf, type VirtualServer, virtualTable } from './virtual-table.ts'

const EXCESS_MAX = 1.03

const doublings = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const multiples = (stride: number): number[] => [
  ...doublings.filter((size) => size < stride),
  ...Array.from({ length: 512 / stride }, (_, index) => stride * (index + 1)),
]
const PADDINGS: Readonly<Record<string, readonly number[]>> = {
  none: [],
  doublings,
  'multiples of 8': multiples(8),
  'multiples of 16': multiples(16),
  'multiples of 32': multiples(32),
  'multiples of 8, doublings from 64': [...multiples(8).filter((size) => size <= 64), 128, 256, 512],
}
const SWEEPS: Readonly<Record<string, readonly number[]>> = {
  doublings: [1, 2, 4, 8, 16, 32, 64, 128, 192, 256],
  'with levels between': [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192],
  'round numbers': [1, 2, 5, 10, 25, 50, 75, 100, 150, 200],
  'doublings, then every 32': [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256],
}
const SERVERS = [
  { baseMs: 8, perSequenceMs: 0.12, inputTokens: 400, outputTokens: 200 },
  { baseMs: 15, perSequenceMs: 0.5, inputTokens: 1500, outputTokens: 250 },
  { baseMs: 6, perSequenceMs: 0.05, inputTokens: 100, outputTokens: 400 },
]
/** Where the promise lies between the fastest and the eighth level. */
const PROMISES = [0.35, 0.6]

const cases = Object.keys(PADDINGS).flatMap((padding) =>
  Object.keys(SWEEPS).map((sweep) => ({ padding, sweep })),
)

test.each(cases)('padding: $padding, sweep: $sweep', ({ padding, sweep }) => {
  const said: string[] = []
  for (const made of SERVERS) {
    for (const share of PROMISES) {
      const { server, levels } = measured(made, { padding, sweep, share })
      const { batch, openLoop, reasons } = answerCapacity(questionOf(server, levels, 1))
      const ratePerS = openLoop?.maxRequestsPerS ?? null
      said.push(`${batch.recommended ?? 'none'} at ${ratePerS?.toFixed(2) ?? 'none'}/s`)
      if (batch.recommended === null || ratePerS === null) expect(reasons.length).toBeGreaterThan(0)
      if (batch.recommended === null) continue
      expect(fullBatch(server, batch.recommended).ratio).toBeLessThanOrEqual(EXCESS_MAX)
      if (ratePerS === null) continue
      const tried = { ratePerS, arrivalCv: 1, batch: batch.recommended, seeds: [11, 12, 13], requests: 2500 }
      expect(worstRatio(server, tried)).toBeLessThanOrEqual(EXCESS_MAX)
    }
  }
  console.log(`padding ${padding}, sweep ${sweep}: ${said.join(', ')}`)
})

function measured(
  { baseMs, perSequenceMs, inputTokens, outputTokens }: (typeof SERVERS)[number],
  { padding, sweep, share }: { readonly padding: string; readonly sweep: string; readonly share: number },
) {
  const unasked: VirtualServer = {
    name: padding,
    law: {
      ...PRESETS['8b-h100'].law,
      prefixCache: false,
      baseMs,
      perSequenceMs,
      maxNumSeqs: 128,
      capturedBatches: PADDINGS[padding] ?? [],
      noise: { stepCv: 0.1, prefillCv: 0.05 },
    },
    workload: {
      inputTokens: { kind: 'fixed', tokens: inputTokens },
      outputTokens: {
        kind: 'uniform',
        min: Math.round(0.85 * outputTokens),
        max: Math.round(1.15 * outputTokens),
      },
    },
    inputTokens,
    concurrencies: SWEEPS[sweep] ?? [],
    slo: [],
  }
  const levels = virtualTable(unasked, 5)
  const fastestMs = levels[0]?.tpotMs.p95 ?? 0
  const slowerMs = levels[7]?.tpotMs.p95 ?? 0
  const slo: SloTarget[] = [
    { metric: 'ttft', percentile: 95, maxMs: 20 * (levels[0]?.ttftMs.p95 ?? 0) },
    { metric: 'tpot', percentile: 95, maxMs: fastestMs + share * (slowerMs - fastestMs) },
  ]
  return { server: { ...unasked, slo }, levels }
}
