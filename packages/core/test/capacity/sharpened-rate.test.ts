import { arrivalRateUnderSlo } from '@loadcurve/core/capacity/arrival-rate'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { sharpenedRate } from '@loadcurve/core/capacity/sharpened-rate'
import { describe, expect, test } from 'vitest'
import { engineOf } from './law-fixture.ts'
import { rehearsalOf } from './traffic-fixture.ts'

const engine = engineOf()
const slo: SloTarget[] = [{ metric: 'ttft', percentile: 95, maxMs: 150 }]

function found(rehearsal: ReturnType<typeof rehearsalOf>) {
  const answer = arrivalRateUnderSlo(rehearsal, engine, slo)
  if (answer.kind !== 'found') throw new Error(answer.kind)
  return answer
}

describe('sharpened rate', () => {
  test('a short simulation pays for its luck: a longer one is asked, and errs less', () => {
    const truth = found(rehearsalOf(96_000)).ratePerS
    const pairs = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
      const rehearsal = rehearsalOf(600, {}, seed)
      const short = found(rehearsal)
      const longer = (times: number) => rehearsalOf(600 * times, {}, seed)
      const sharp = sharpenedRate(short, { engine, slo, rehearsal, longer })
      return { short: short.ratePerS, sharp: sharp.ratePerS }
    })
    expect(pairs.filter(({ short, sharp }) => short !== sharp).length).toBeGreaterThan(4)
    const rmsError = (which: 'short' | 'sharp') =>
      Math.sqrt(pairs.reduce((sum, pair) => sum + (pair[which] / truth - 1) ** 2, 0) / pairs.length)
    expect(rmsError('sharp')).toBeLessThan(0.9 * rmsError('short'))
  })

  test('a long simulation has paid little, and is left as it is', () => {
    const rehearsal = rehearsalOf(48_000)
    const long = found(rehearsal)
    const longer = () => {
      throw new Error('not needed')
    }
    expect(sharpenedRate(long, { engine, slo, rehearsal, longer })).toBe(long)
  })

  test('the longer simulation is the better judge, also when it takes something back', () => {
    const rehearsal = rehearsalOf(600)
    const short = found(rehearsal)
    const lucky = { ...short, ratePerS: short.ratePerS * 0.8 }
    const harder = rehearsalOf(48_000, { arrival: { process: 'gamma', cv: 1.5 } })
    const sharp = sharpenedRate(lucky, { engine, slo, rehearsal, longer: () => harder })
    expect(sharp.ratePerS).toBeLessThan(lucky.ratePerS)
    expect(found(harder).ratePerS / sharp.ratePerS).toBeCloseTo(1, 1)
  })
})
