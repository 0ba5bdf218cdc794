import { chunks, engineModel, loneTtftMs } from '@loadcurve/core/capacity/simulate/engine-model'
import { stepTimeMs } from '@loadcurve/core/fit/law'
import { describe, expect, test } from 'vitest'
import { engineOf, LENGTHS, linearLaw } from '../law-fixture.ts'

describe('engine model', () => {
  test('decode plus everybody else’s prefill is the fitted step time again', () => {
    const engine = engineOf()
    for (let batch = 0; batch <= 32; batch++) {
      // b prompts pass while a request decodes its 200 tokens; each adds its work once.
      const mean = (engine.decodeMs[batch] ?? 0) + (batch * engine.prefillWorkMs(1000)) / 200
      expect(mean).toBeCloseTo(stepTimeMs(linearLaw(), batch), 9)
    }
  })

  test.each([null, 2048, 400])(
    'a lone prompt takes the TTFT that was measured (step of %s tokens)',
    (stepTokens) => {
      expect(loneTtftMs(engineOf({ stepTokens }), 1000)).toBeCloseTo(60, 9)
    },
  )

  test('a slope too small for the prefill leaves a flat decode; the rest of the TTFT is a delay before the engine', () => {
    const engine = engineOf({}, linearLaw({ slopeMs: 0.1 }))
    for (const ms of engine.decodeMs) expect(ms).toBeCloseTo(10, 9)
    // 0.1 ms over 200 steps have room for 20 of the 50 ms.
    expect(engine.prefillWorkMs(1000)).toBeCloseTo(20, 9)
    expect(engine.overheadMs).toBeCloseTo(30, 9)
    expect(loneTtftMs(engine, 1000)).toBeCloseTo(60, 9)
  })

  test('prefill work: from probes by their parabola, from one TTFT in proportion to the tokens', () => {
    const probes = { p0: 20, p1: 0.05, p2: 1e-5 }
    const probed = engineOf({}, linearLaw({ prefillMs: probes, prefillSource: 'probes' }))
    expect(probed.prefillWorkMs(2000)).toBeCloseTo(20 + 100 + 40 - 10, 9)
    expect(engineOf().prefillWorkMs(2000)).toBeCloseTo(100, 9)
  })

  test('chunks: as many steps as the budget asks for', () => {
    expect(chunks(engineOf({ stepTokens: 400 }), 1000)).toBe(3)
    expect(chunks(engineOf(), 100_000)).toBe(1)
  })

  test('a law without any time still takes time', () => {
    const free = linearLaw({ baseMs: 0, slopeMs: 0, prefillMs: { p0: 0, p1: 0, p2: 0 } })
    expect(Math.min(...engineOf({}, free).decodeMs)).toBeGreaterThan(0)
  })

  test('impossible settings are refused with their value', () => {
    const settings = { slots: 0, stepTokens: null, kvTokens: null }
    expect(() => engineModel(linearLaw(), LENGTHS, settings)).toThrow(
      'slots must be a positive integer, got 0',
    )
    const lengths = { inputTokens: 10, outputTokens: 1 }
    expect(() => engineModel(linearLaw(), lengths, { ...settings, slots: 1 })).toThrow('got 1')
  })
})
