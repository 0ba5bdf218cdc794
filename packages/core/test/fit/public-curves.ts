/** The public sweeps of `fixtures/aic_silicon_sample_curves.csv` (Apache-2.0), one by one, with what the fit says of each. */
import { type CurveFit, fitCurve } from '../../src/fit/curve.ts'
import { fixtureText, latency, levelWith } from '../measured.ts'

export interface PublicCurve {
  readonly id: string
  readonly experts: { readonly total: number; readonly perToken: number } | null
  readonly outputTokens: number
  readonly levels: ReturnType<typeof levelWith>[]
}

/** All sweeps of the fixture. */
export function publicCurves(): PublicCurve[] {
  const byId = groupBy(fixtureText('aic_silicon_sample_curves'), (row) => row['curve_id'] ?? '')
  return [...byId].map(([id, rows]) => ({
    id,
    experts:
      rows[0]?.['experts'] === ''
        ? null
        : { total: Number(rows[0]?.['experts']), perToken: Number(rows[0]?.['experts_per_token']) },
    outputTokens: Number(rows[0]?.['osl']),
    levels: rows.map((row) =>
      levelWith({
        concurrency: Number(row['concurrency']),
        inputTokens: Number(row['isl']),
        outputTokens: Number(row['osl']),
        ttftMs: latency({ mean: Number(row['ttft_ms']) }),
        tpotMs: latency({ mean: Number(row['tpot_ms']) }),
      }),
    ),
  }))
}

/** At least six concurrencies, and a mean TPOT that never falls by more than 3 %. */
export function isClean(curve: PublicCurve): boolean {
  const byConcurrency = groupBy(curve.levels, (level) => level.concurrency ?? 0)
  const means = [...byConcurrency]
    .sort(([left], [right]) => left - right)
    .map(([, levels]) => levels.reduce((sum, level) => sum + (level.tpotMs.mean ?? 0), 0) / levels.length)
  return (
    means.length >= 6 && means.every((value, index) => index === 0 || value >= 0.97 * (means[index - 1] ?? 0))
  )
}

/** Relative error of the last level when it is withheld, and whether the bound that was stated for it holds. */
export interface Withheld {
  readonly biasFraction: number
  readonly covered: boolean
}

export function fitPublicCurve(curve: PublicCurve, experts: PublicCurve['experts']): CurveFit {
  return fitCurve({
    levels: curve.levels,
    inputTokens: null,
    outputTokens: null,
    experts,
    probes: [],
    seed: 1,
    draws: 1,
  })
}

export function withheldLast(fit: CurveFit): Withheld {
  const last = fit.levels.at(-1)
  const measured = last?.reading.tpotMs ?? Number.NaN
  const [low = 0, high = 0] = last?.prediction?.boundTpotMs ?? []
  return {
    biasFraction: (last?.prediction?.looTpotMs ?? Number.NaN) / measured - 1,
    covered: measured >= low && measured <= high,
  }
}

/** Sample quantile, linear between order statistics. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  const position = share * (sorted.length - 1)
  const low = sorted[Math.floor(position)] ?? Number.NaN
  const high = sorted[Math.ceil(position)] ?? Number.NaN
  return low + (position - Math.floor(position)) * (high - low)
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
