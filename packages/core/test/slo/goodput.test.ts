import { countGood } from '@loadcurve/core/slo/goodput'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const promise = (
  values: readonly number[],
  maxMs: number,
  failed: readonly number[] = values.map(() => 0),
) => ({
  perRequest: Float64Array.from(values),
  values: Float64Array.from(values),
  sorted: Float64Array.from(values).sort(),
  failed: Uint8Array.from(failed),
  target: { metric: 'ttft' as const, percentile: 95, maxMs },
})

test('goodput: good is ok and within every limit; not applicable neither passes nor fails', () => {
  const ok = Uint8Array.from([1, 1, 1, 1, 0])
  const ttft = promise([50, 150, 50, 100, Number.NaN], 100)
  const tpot = promise([Number.NaN, 10, 30, 20, Number.NaN], 20)
  expect(countGood(ok, [ttft, tpot])).toBe(2)
  expect(countGood(ok, [])).toBe(4)
})

test('goodput: what was awaited in vain is bad though the transport was ok', () => {
  expect(countGood(Uint8Array.from([1, 1]), [promise([Number.NaN, 50], 100, [1, 0])])).toBe(1)
})

test('goodput: never more than the requests that were ok, and another promise never adds', () => {
  const rows = fc.array(
    fc.tuple(
      fc.boolean(),
      fc.double({ min: 0, max: 200, noNaN: true }),
      fc.double({ min: 0, max: 200, noNaN: true }),
    ),
  )
  fc.assert(
    fc.property(rows, (list) => {
      const ok = Uint8Array.from(list, ([one]) => (one ? 1 : 0))
      const first = promise(
        list.map(([, value]) => value),
        100,
      )
      const second = promise(
        list.map(([, , value]) => value),
        100,
      )
      const good = countGood(ok, [first, second])
      expect(good).toBe(list.filter(([one, left, right]) => one && left <= 100 && right <= 100).length)
      expect(good).toBeLessThanOrEqual(countGood(ok, [first]))
    }),
    { seed: 6 },
  )
})
