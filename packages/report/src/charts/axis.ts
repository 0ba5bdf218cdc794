/**
 * Ticks whose labels never touch. Of several sets of round values, the densest one that leaves room between its labels
 * is taken; so a wide drawing says 1, 2, 5, 10 and a phone 1, 10, 100.
 */
import { shortNumber } from './short-number.ts'

export interface AxisSpace {
  readonly domain: readonly [number, number]
  readonly lengthPx: number
  /** `across`: labels stand side by side and need their width; `up`: one above the other. */
  readonly direction: 'across' | 'up'
}

const CHARACTER_PX = 7.2
const GAP_PX = 10
const LINE_PX = 18
/** Below this ratio a logarithmic axis is nearly even, and round even steps read best. */
const NEARLY_EVEN = 4

/** Round values inside the domain of a logarithmic axis; at least one. @throws RangeError unless 0 < from <= to */
export function logTicks(space: AxisSpace): number[] {
  const [from, to] = space.domain
  if (!(from > 0 && to >= from))
    throw new RangeError(`a logarithmic axis needs 0 < from <= to, got ${from}, ${to}`)
  const sets = to / from < NEARLY_EVEN ? evenSets(from, to) : decadeSets(from, to)
  const fitting = sets.filter((set) => set.length > 0 && keepApart(set, space))
  return fitting.find((set) => set.length >= 2) ?? fitting[0] ?? [from]
}

/** Of given values, those whose labels keep apart; the first one stays. */
export function thinned(values: readonly number[], space: AxisSpace): number[] {
  const kept: number[] = []
  for (const value of [...new Set(values)].filter((value) => value > 0).sort((left, right) => left - right)) {
    if (keepApart([...kept.slice(-1), value], space)) kept.push(value)
  }
  return kept
}

function evenSets(from: number, to: number): number[][] {
  const decade = 10 ** Math.floor(Math.log10(to - from || from))
  const steps = [0.1, 0.2, 0.5, 1, 2, 5].map((factor) => factor * decade)
  return steps.map((step) => {
    const first = Math.ceil(from / step - 1e-9)
    const count = Math.floor(to / step + 1e-9) - first + 1
    return Array.from({ length: Math.max(0, count) }, (_, index) =>
      Number(((first + index) * step).toPrecision(12)),
    )
  })
}

function decadeSets(from: number, to: number): number[][] {
  const exponents = Array.from(
    { length: Math.ceil(Math.log10(to)) - Math.floor(Math.log10(from)) + 1 },
    (_, index) => Math.floor(Math.log10(from)) + index,
  )
  const inside = (value: number) => value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)
  const digitSets = [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1, 5], [1], [2], [5]]
  const sets = digitSets.map((digits) =>
    exponents
      .flatMap((exponent) => digits.map((digit) => Number((digit * 10 ** exponent).toPrecision(12))))
      .filter(inside),
  )
  const sparse = [2, 3].map((every) => exponents.filter((exponent) => exponent % every === 0))
  return [...sets, ...sparse.map((kept) => kept.map((exponent) => 10 ** exponent).filter(inside))]
}

function keepApart(
  ticks: readonly number[],
  { domain: [from, to], lengthPx, direction }: AxisSpace,
): boolean {
  const perDecadePx = lengthPx / (Math.log(to / from) || 1)
  return ticks.every((tick, index) => {
    const previous = ticks[index - 1]
    if (previous === undefined) return true
    const widthPx = (CHARACTER_PX * (shortNumber(tick).length + shortNumber(previous).length)) / 2 + GAP_PX
    return Math.log(tick / previous) * perDecadePx >= (direction === 'up' ? LINE_PX : widthPx)
  })
}
