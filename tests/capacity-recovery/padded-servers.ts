/** Servers that pad in every way that engines do, or not at all, measured by people with four habits. */
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import type { Level } from '@loadcurve/core/fit/level'
import { PRESETS } from '@loadcurve/sim/presets/presets'
import { type VirtualServer, virtualTable } from './virtual-table.ts'

const doublings = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const multiples = (stride: number): number[] => [
  ...doublings.filter((size) => size < stride),
  ...Array.from({ length: 512 / stride }, (_, index) => stride * (index + 1)),
]
export const PADDINGS: Readonly<Record<string, readonly number[]>> = {
  none: [],
  doublings,
  'multiples of 8': multiples(8),
  'multiples of 16': multiples(16),
  'multiples of 32': multiples(32),
  'multiples of 8, doublings from 64': [...multiples(8).filter((size) => size <= 64), 128, 256, 512],
}
export const SWEEPS: Readonly<Record<string, readonly number[]>> = {
  doublings: [1, 2, 4, 8, 16, 32, 64, 128, 192, 256],
  'with levels between': [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192],
  'round numbers': [1, 2, 5, 10, 25, 50, 75, 100, 150, 200],
  'doublings, then every 32': [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256],
}
export const SERVERS = [
  { baseMs: 8, perSequenceMs: 0.12, inputTokens: 400, outputTokens: 200 },
  { baseMs: 15, perSequenceMs: 0.5, inputTokens: 1500, outputTokens: 250 },
  { baseMs: 6, perSequenceMs: 0.05, inputTokens: 100, outputTokens: 400 },
]
/** Where the promise lies between the fastest and the eighth level. */
export const PROMISES = [0.35, 0.6]

export interface PaddedCase {
  readonly padding: string
  readonly sweep: string
}

export const PADDED_CASES: readonly PaddedCase[] = Object.keys(PADDINGS).flatMap((padding) =>
  Object.keys(SWEEPS).map((sweep) => ({ padding, sweep })),
)

/** One of the servers with a promise somewhere among its levels, and the table that was measured on it. */
export function measured(
  { baseMs, perSequenceMs, inputTokens, outputTokens }: (typeof SERVERS)[number],
  { padding, sweep, share, delayMs = 0 }: PaddedCase & { readonly share: number; readonly delayMs?: number },
): { readonly server: VirtualServer; readonly levels: Level[] } {
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
    delayMs,
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
