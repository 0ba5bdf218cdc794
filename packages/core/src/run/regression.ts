/**
 * Did the newest night get worse? A nightly sweep gives one figure per metric and night. The newest one is held
 * against the earlier ones of the same server by a prediction interval on logarithms (latencies and rates are positive
 * and their noise is relative): with m earlier values of mean ȳ and standard deviation s,
 *
 *   ȳ ± t(0.975; m − 1) · s · √(1 + 1/m)
 *
 * holds the next value in 95 % of the nights when nothing has changed. Outside of it, and by more than `CHANGE_MIN`
 * (very quiet series would call a change that nobody can feel), the verdict is `worse` or `better`.
 * Source: Hahn & Meeker, Statistical Intervals, ch. 4.
 */

export type RegressionVerdict = 'steady' | 'worse' | 'better' | 'too-few-runs'

export interface Regression {
  readonly verdict: RegressionVerdict
  readonly value: number | null
  /** Geometric mean of the earlier values. */
  readonly baseline: number | null
  /** 95 % prediction interval for the newest value. */
  readonly interval: readonly [number, number] | null
  /** value / baseline − 1. */
  readonly changeFraction: number | null
  /** Earlier runs of the same server that it was held against. */
  readonly runs: number
}

/** Fewer earlier nights than this say nothing about how much nights differ. */
export const EARLIER_RUNS_MIN = 4
/** Only so many nights back: a server drifts, and the last weeks are what people mean by "normal". */
export const EARLIER_RUNS_MAX = 30
/** A change below this is not reported, however quiet the series. */
export const CHANGE_MIN = 0.02

/**
 * Judges the last value of a series.
 *
 * @param values one figure per run, oldest first, all of one server; null where a run has none
 * @param isBetter which direction is good
 * @throws RangeError for a value that is not positive
 */
export function judgeRegression({
  values,
  isBetter,
}: {
  readonly values: readonly (number | null)[]
  readonly isBetter: 'lower' | 'higher'
}): Regression {
  const known = values.filter((value): value is number => value !== null)
  for (const value of known) {
    if (!(value > 0)) throw new RangeError(`values must be positive, got ${value}`)
  }
  const value = values.at(-1) ?? null
  const earlier = known.slice(0, value === null ? undefined : -1).slice(-EARLIER_RUNS_MAX)
  const runs = earlier.length
  if (value === null || runs < EARLIER_RUNS_MIN) {
    return { verdict: 'too-few-runs', value, baseline: null, interval: null, changeFraction: null, runs }
  }
  const { mean, sd } = moments(earlier.map(Math.log))
  const half = studentT975(runs - 1) * sd * Math.sqrt(1 + 1 / runs)
  const interval = [Math.exp(mean - half), Math.exp(mean + half)] as const
  const baseline = Math.exp(mean)
  const changeFraction = value / baseline - 1
  const verdict = verdictOf({ value, interval, changeFraction, isBetter })
  return { verdict, value, baseline, interval, changeFraction, runs }
}

function verdictOf(judged: {
  readonly value: number
  readonly interval: readonly [number, number]
  readonly changeFraction: number
  readonly isBetter: 'lower' | 'higher'
}): RegressionVerdict {
  const { value, interval, changeFraction, isBetter } = judged
  if (value >= interval[0] && value <= interval[1]) return 'steady'
  if (Math.abs(changeFraction) < CHANGE_MIN) return 'steady'
  const isLower = changeFraction < 0
  return isLower === (isBetter === 'lower') ? 'better' : 'worse'
}

function moments(values: readonly number[]): { mean: number; sd: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, sd: Math.sqrt(squares / (values.length - 1)) }
}

// Student's t, 97.5 %, for 3 to 29 degrees of freedom: all that the bounds above let in.
const T975 = [
  3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314,
  2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484,
  2.0452,
]

function studentT975(degrees: number): number {
  const quantile = T975[degrees - 3]
  if (quantile === undefined) throw new RangeError(`degrees of freedom must be 3 to 29, got ${degrees}`)
  return quantile
}
