/** Presets of the simulator with prompts of three lengths, and promises that bind somewhere between idle and full. */
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { PRESETS, type PresetName } from '@loadcurve/sim/presets/presets'
import type { VirtualServer } from './virtual-table.ts'

export const PRESET_SERVERS: readonly VirtualServer[] = [
  server('8b-h100', { input: 200, output: 200, ttftMaxMs: 100, tpotMaxMs: 25 }),
  server('8b-h100', { input: 2000, output: 250, ttftMaxMs: 400, tpotMaxMs: 40 }),
  server('8b-h100', { input: 8000, output: 250, ttftMaxMs: 1500, tpotMaxMs: 60 }),
  server('70b-2xh100', { input: 2000, output: 300, ttftMaxMs: 800, tpotMaxMs: 60 }),
  server('70b-2xh100', { input: 8000, output: 300, ttftMaxMs: 3000, tpotMaxMs: 80 }),
  server('moe', { input: 2000, output: 300, ttftMaxMs: 200, tpotMaxMs: 20 }),
  server('small', { input: 200, output: 100, ttftMaxMs: 300, tpotMaxMs: 22 }),
  // 8,000 tokens are four chunks of this server, and 2,000 nearly one.
  server('prefill-bound', { input: 2000, output: 100, ttftMaxMs: 1000, tpotMaxMs: 40 }),
  server('prefill-bound', { input: 8000, output: 100, ttftMaxMs: 5000, tpotMaxMs: 120 }),
]

function server(
  preset: PresetName,
  shape: {
    readonly input: number
    readonly output: number
    readonly ttftMaxMs: number
    readonly tpotMaxMs: number
  },
): VirtualServer {
  const law = { ...PRESETS[preset].law, prefixCache: false }
  const slo: SloTarget[] = [
    { metric: 'ttft', percentile: 95, maxMs: shape.ttftMaxMs },
    { metric: 'tpot', percentile: 95, maxMs: shape.tpotMaxMs },
  ]
  return {
    name: `${preset}, prompts of ${shape.input}`,
    law,
    workload: {
      inputTokens: { kind: 'fixed', tokens: shape.input },
      outputTokens: {
        kind: 'uniform',
        min: Math.round(shape.output * 0.85),
        max: Math.round(shape.output * 1.15),
      },
    },
    inputTokens: shape.input,
    concurrencies: [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384].filter((n) => n <= 3 * law.maxNumSeqs),
    slo,
  }
}
