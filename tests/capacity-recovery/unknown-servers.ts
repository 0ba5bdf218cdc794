/** Servers whose laws the fit does not have in its family: what a real one may hide. */
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import type { LengthLaw } from '@loadcurve/sim/model/lengths'
import { PRESETS } from '@loadcurve/sim/presets/presets'
import type { VirtualServer } from './virtual-table.ts'

const plain = {
  ...PRESETS['8b-h100'].law,
  prefixCache: false,
  baseMs: 8,
  perSequenceMs: 0.12,
  maxNumSeqs: 96,
}
/** vLLM's default sizes: 1, 2, 4, then every eighth. */
const CAPTURED = [1, 2, 4, ...Array.from({ length: 16 }, (_, index) => 8 * (index + 1))]
const concurrencies = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256]
const fixed = (tokens: number): LengthLaw => ({ kind: 'fixed', tokens })
const around = (tokens: number): LengthLaw => ({
  kind: 'uniform',
  min: Math.round(tokens * 0.85),
  max: Math.round(tokens * 1.15),
})
const p95 = (ttftMs: number, tpotMs: number): SloTarget[] => [
  { metric: 'ttft', percentile: 95, maxMs: ttftMs },
  { metric: 'tpot', percentile: 95, maxMs: tpotMs },
]

export const UNKNOWN_SERVERS: readonly VirtualServer[] = [
  {
    name: 'CUDA graphs: decode padded to captured sizes',
    law: { ...plain, capturedBatches: CAPTURED, maxNumSeqs: 128 },
    workload: { inputTokens: fixed(400), outputTokens: around(200) },
    inputTokens: 400,
    concurrencies,
    slo: p95(300, 24),
  },
  // No level shows the stairs of the next two: they lie on a line.
  {
    name: 'CUDA graphs: stairs that end at the measured levels',
    law: { ...plain, capturedBatches: [1, 2, 4, 8, 16, 32, 64, 96, 128], maxNumSeqs: 128 },
    workload: { inputTokens: fixed(400), outputTokens: around(200) },
    inputTokens: 400,
    concurrencies: [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256],
    slo: p95(300, 20.5),
  },
  {
    name: 'CUDA graphs: sizes that double, and levels too',
    law: { ...plain, perSequenceMs: 0.15, capturedBatches: [1, 2, 4, 8, 16, 32, 64, 128], maxNumSeqs: 128 },
    workload: { inputTokens: fixed(200), outputTokens: around(300) },
    inputTokens: 200,
    concurrencies: [1, 2, 4, 8, 16, 32, 64, 128, 192, 256],
    slo: p95(300, 17),
  },
  {
    name: 'KV preemption with recompute',
    law: { ...plain, perSequenceMs: 0.1, maxNumSeqs: 128, kv: { blocks: 2500, blockTokens: 16 } },
    workload: { inputTokens: fixed(400), outputTokens: around(400) },
    inputTokens: 400,
    concurrencies: [1, 2, 4, 8, 16, 32, 48, 64, 96, 128],
    slo: p95(500, 25),
  },
  {
    name: 'prefill-bound',
    law: { ...PRESETS['prefill-bound'].law, prefixCache: false },
    workload: { inputTokens: fixed(4000), outputTokens: around(100) },
    inputTokens: 4000,
    concurrencies: [1, 2, 4, 8, 16, 32, 64, 128, 160],
    slo: p95(3000, 90),
  },
  {
    name: 'heavy-tailed answers',
    law: plain,
    workload: { inputTokens: fixed(400), outputTokens: { kind: 'pareto', min: 60, shape: 1.5, max: 2000 } },
    inputTokens: 400,
    concurrencies,
    slo: p95(300, 22),
  },
  {
    name: 'periodic stalls',
    law: { ...plain, hiccup: { everyMs: 5000, pauseMs: 400 } },
    workload: { inputTokens: fixed(400), outputTokens: around(200) },
    inputTokens: 400,
    concurrencies,
    slo: p95(600, 24),
  },
  {
    name: 'periodic stalls longer than the promise',
    law: { ...plain, hiccup: { everyMs: 5000, pauseMs: 400 } },
    workload: { inputTokens: fixed(400), outputTokens: around(200) },
    inputTokens: 400,
    concurrencies,
    slo: p95(150, 24),
  },
]
