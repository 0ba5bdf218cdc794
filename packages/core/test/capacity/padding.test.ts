import { paddedSteps, possiblePaddings } from '@loadcurve/core/capacity/padding'
import { describe, expect, test } from 'vitest'
import { type PaddedServer, paddedCurve } from './padding-fixture.ts'

const DOUBLING = [1, 2, 4, 8, 16, 32, 64, 128]
const OFF_THE_SIZES = [1, 2, 5, 10, 20, 40, 50, 70, 100, 128]

function paddingsOf(server: PaddedServer, captureSizes: readonly number[] | null = null) {
  const { curve, fitted } = paddedCurve(server)
  return possiblePaddings(curve, { fitted, limits: [], captureSizes })
}

describe('possible paddings', () => {
  test('levels at the sizes rule nothing out: a batch of 40 may run as 40, 48 or 64', () => {
    const paddings = paddingsOf({ concurrencies: DOUBLING })
    const steps = paddings.map(({ typicalMs }) => Math.round(typicalMs(40)))
    expect(new Set(steps)).toEqual(new Set([20, 22, 26]))
    expect(paddings[0]?.sizes).toEqual([])
  })

  test('levels between the sizes rule out what they contradict', () => {
    const paddings = paddingsOf({ concurrencies: OFF_THE_SIZES })
    expect(paddings.map(({ sizes }) => sizes)).toEqual([[]])
  })

  test('a server that does pad is found, and that it pads nothing is ruled out', () => {
    const captured = [1, 2, 4, 8, 16, 32, 64, 128]
    const paddings = paddingsOf({ concurrencies: OFF_THE_SIZES, captured })
    expect(paddings.some(({ sizes }) => sizes.length === 0)).toBe(false)
    // 40 runs as 64 does.
    for (const { typicalMs } of paddings) expect(typicalMs(40) / 26).toBeCloseTo(1, 1)
  })

  test('what is known is not asked of the levels', () => {
    const known = paddingsOf({ concurrencies: DOUBLING }, [50, 100, 150])
    expect(known.map(({ sizes }) => sizes)).toEqual([[50, 100, 150]])
    expect(known[0]?.typicalMs(30)).toBeCloseTo(known[0]?.typicalMs(50) ?? 0, 0)
  })

  test('prefill is not padded: where it explains the slope, padding costs nothing', () => {
    // 62 ms of prefill over 199 steps are more than the quarter of a millisecond that a sequence adds.
    const paddings = paddingsOf({ concurrencies: DOUBLING, ttftMs: 62 })
    for (const { typicalMs } of paddings) expect(typicalMs(40) / typicalMs(64)).toBeLessThan(0.8)
  })

  test('read as a delay, the same TTFT leaves the whole step to be padded, but for what grows with the prompt', () => {
    const { curve, fitted } = paddedCurve({ concurrencies: DOUBLING, ttftMs: 62 })
    const asked = { limits: [], captureSizes: DOUBLING, prefill: 'least' as const }
    const stepMs = (law: typeof fitted.law, batch: number) =>
      possiblePaddings(curve, { ...asked, fitted: { ...fitted, law } })[0]?.typicalMs(batch) ?? 0
    expect(stepMs(fitted.law, 40) / stepMs(fitted.law, 64)).toBeCloseTo(1, 6)
    // 500 tokens at 0.05 ms, once in 199 steps for each other sequence.
    const probed = { ...fitted.law, prefillMs: { p0: 37, p1: 0.05, p2: 0 } }
    expect(stepMs(probed, 64) - stepMs(probed, 40)).toBeCloseTo((24 * 25) / 199, 6)
  })

  test('the cost is what the worst padding adds, and at best nothing', () => {
    const { curve, fitted } = paddedCurve({ concurrencies: DOUBLING })
    const { leastMs, mostMs } = paddedSteps(curve, { fitted, limits: [], captureSizes: null })
    expect(leastMs(40)).toBeCloseTo(0, 6)
    expect(mostMs(40)).toBeCloseTo(6, 1)
    expect(mostMs(64)).toBeLessThan(0.1)
  })

  test('the steps of a server that certainly pads are those of its stairs', () => {
    const server = { concurrencies: OFF_THE_SIZES, captured: DOUBLING }
    const { curve, fitted } = paddedCurve(server)
    const { certain } = paddedSteps(curve, { fitted, limits: [], captureSizes: null })
    expect(certain?.leastMs(40)).toBeCloseTo(26, 0)
    expect(certain?.mostMs(64)).toBeCloseTo(26, 0)
    expect(certain?.errorFraction).toBe(0.01)
    const plain = paddedCurve({ concurrencies: OFF_THE_SIZES })
    expect(
      paddedSteps(plain.curve, { fitted: plain.fitted, limits: [], captureSizes: null }).certain,
    ).toBeNull()
  })

  test('where no law fits, a padded batch is not slower than the next level was', () => {
    const { curve, fitted } = paddedCurve({ concurrencies: DOUBLING })
    const law = {
      ...fitted.law,
      form: 'isotonic' as const,
      knots: [1, 32, 64, 128].map((batch) => ({ batch, stepMs: 10 + 0.25 * batch })),
    }
    const paddings = possiblePaddings(curve, { fitted: { ...fitted, law }, limits: [], captureSizes: null })
    expect(paddings.length).toBeGreaterThan(5)
    const steps = paddings.map(({ typicalMs }) => typicalMs(70))
    expect(Math.min(...steps)).toBeCloseTo(27.5, 1)
    expect(Math.max(...steps)).toBeCloseTo(42, 0)
  })
})
