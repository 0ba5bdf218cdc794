import { drawMix, replayOfClass } from '@loadcurve/core/capacity/simulate/class-mix'
import { replayAt } from '@loadcurve/core/capacity/simulate/rehearsal'
import { describe, expect, test } from 'vitest'
import { engineOf, FIXED } from '../law-fixture.ts'
import { SILENT } from '../traffic-fixture.ts'

const classes = [
  { inputTokens: FIXED(100), outputTokens: FIXED(50), weight: 3 },
  { inputTokens: FIXED(2000), outputTokens: FIXED(200), weight: 1 },
]
const traffic = { arrival: { process: 'poisson' }, workSigma: 0 } as const
const mix = drawMix(classes, traffic, { requests: 8000, slots: 32, noise: SILENT, seed: 1 })

describe('class mix', () => {
  test('requests come in the proportion of the weights, each with the lengths of its class', () => {
    const second = mix.classOf.filter((index) => index === 1).length
    const n = mix.classOf.length
    expect(Math.abs(second / n - 0.25)).toBeLessThan(4 * Math.sqrt((0.25 * 0.75) / n))
    for (const [request, index] of mix.classOf.entries()) {
      expect(mix.rehearsal.draws.inputTokens[request]).toBe(index === 0 ? 100 : 2000)
      expect(mix.rehearsal.draws.outputTokens[request]).toBe(index === 0 ? 50 : 200)
    }
  })

  test('each class is judged on its own requests: nearly alone, its own lone TTFT', () => {
    const replay = replayAt(mix.rehearsal, engineOf(), 0.02)
    // 50 ms of work per 1,000 tokens, and the empty step of 10.
    expect(replayOfClass(replay, mix, 0).latencies.ttft[0]).toBeCloseTo(15, 9)
    expect(replayOfClass(replay, mix, 1).latencies.ttft[0]).toBeCloseTo(110, 9)
    const counted = mix.classOf.slice(mix.rehearsal.counted.from, mix.rehearsal.counted.to)
    expect(replayOfClass(replay, mix, 1).latencies.ttft).toHaveLength(
      counted.filter((index) => index === 1).length,
    )
  })

  test('no class, no mix', () => {
    expect(() => drawMix([], traffic, { requests: 10, slots: 1, noise: SILENT, seed: 1 })).toThrow(
      'at least one class',
    )
  })
})
