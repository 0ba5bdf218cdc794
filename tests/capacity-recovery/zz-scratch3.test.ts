import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { runClosedLoop } from '@loadcurve/sim/engine/closed-loop'
import { PRESETS } from '@loadcurve/sim/presets/presets'
import { summariseRun } from '@loadcurve/sim/truth/run-summary'
import { test } from 'vitest'
import { worstRatio } from './rate-truth.ts'
import { questionOf, type VirtualServer, virtualTable } from './virtual-table.ts'

const fixed = (tokens: number) => ({ kind: 'fixed' as const, tokens })
const around = (t: number) => ({
  kind: 'uniform' as const,
  min: Math.round(t * 0.85),
  max: Math.round(t * 1.15),
})
const pow2 = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const step = (k: number) => [
  ...pow2.filter((x) => x < k),
  ...Array.from({ length: 512 / k }, (_, i) => k * (i + 1)),
]
const trt = [...step(8).filter((x) => x <= 64), 128, 256, 512]
const sweeps = {
  doubling: [1, 2, 4, 8, 16, 32, 64, 128, 192, 256],
  dense: [1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192],
  fives: [1, 2, 5, 10, 25, 50, 75, 100, 150, 200],
  mine: [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256],
}
test('x', { timeout: 3000000 }, () => {
  let bad = 0,
    n = 0
  const tally: Record<string, number> = {}
  for (const [cname, captured] of Object.entries({
    none: [],
    pow2,
    s8: step(8),
    s16: step(16),
    s32: step(32),
    trt,
  }))
    for (const [sname, concurrencies] of Object.entries(sweeps))
      for (const [base, per, input, output] of [
        [8, 0.12, 400, 200],
        [15, 0.5, 1500, 250],
        [6, 0.05, 100, 400],
      ] as const)
        for (const at of [0.35, 0.6]) {
          const law = {
            ...PRESETS['8b-h100'].law,
            prefixCache: false,
            baseMs: base,
            perSequenceMs: per,
            maxNumSeqs: 128,
            capturedBatches: captured,
            noise: { stepCv: 0.1, prefillCv: 0.05 },
          }
          const server0: VirtualServer = {
            name: '',
            law,
            workload: { inputTokens: fixed(input), outputTokens: around(output) },
            inputTokens: input,
            concurrencies,
            slo: [],
          }
          const levels = virtualTable(server0, 5)
          const lo = levels[0]!.tpotMs.p95!,
            hi = levels[7]!.tpotMs.p95!
          const slo = [
            { metric: 'ttft' as const, percentile: 95 as const, maxMs: 20 * levels[0]!.ttftMs.p95! },
            { metric: 'tpot' as const, percentile: 95 as const, maxMs: lo + at * (hi - lo) },
          ]
          const server = { ...server0, slo }
          const a = answerCapacity(questionOf(server, levels, 1))
          n++
          const b = a.batch.recommended,
            rate = a.openLoop?.maxRequestsPerS ?? null
          const full =
            b === null
              ? null
              : summariseRun(
                  runClosedLoop({
                    law: { ...law, maxNumSeqs: b },
                    workload: server.workload,
                    concurrency: 2 * b,
                    requests: Math.max(600, 12 * b),
                    seed: 77,
                  }),
                ).tpotMs.p95! / slo[1]!.maxMs
          const ratio =
            b === null || rate === null
              ? null
              : worstRatio(server, {
                  ratePerS: rate,
                  arrivalCv: 1,
                  batch: b,
                  seeds: [11, 12, 13],
                  requests: 2500,
                })
          const key = `${cname}/${sname}/` + (b === null ? 'refused' : rate === null ? 'batch only' : 'both')
          tally[key] = (tally[key] ?? 0) + 1
          const wrong = (full ?? 0) > 1.03 || (ratio ?? 0) > 1.03
          if (wrong) bad++
          if (wrong || cname === 'none')
            console.log(
              wrong ? 'WRONG' : 'ok',
              cname,
              sname,
              base,
              at,
              'batch',
              b,
              a.batch.interval?.join('-'),
              'wanted',
              JSON.stringify(a.batch.levelWanted),
              'full',
              full?.toFixed(3),
              'rate',
              rate?.toFixed(2),
              'ratio',
              ratio?.toFixed(3),
              a.reasons.join(),
              a.fit?.model,
            )
        }
  console.log('bad', bad, 'of', n, JSON.stringify(tally, null, 1))
})
