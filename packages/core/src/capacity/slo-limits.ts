/**
 * Each promise with the curve that it is judged on. TPOT and token gaps bind the batch; TTFT and E2E bind the load, and
 * so only the operating point. A percentile is judged on its own column: where the table has only means it is refused
 * (`percentile-not-in-table`), never read off the mean.
 */
import { type ColumnFit, fitColumn } from '../fit/column.ts'
import type { CurveFit } from '../fit/curve.ts'
import type { CurveLaw, StepLaw } from '../fit/law.ts'
import type { StepCurve } from '../fit/step-forms.ts'
import type { StepLimit } from './batch.ts'
import type { SloTarget } from './recommendation.ts'
import { sloName, sloValue } from './slo-column.ts'

export interface SloLimit extends StepLimit {
  readonly slo: SloTarget
  readonly binds: 'batch' | 'load'
}

export interface FitSettings {
  readonly expertFraction: number | null
  readonly seed: number
  readonly draws: number
}

/** The limits of all promises, or the codes of those that cannot be judged. */
export function sloLimits(
  curve: CurveFit,
  input: { fitted: CurveLaw; slo: readonly SloTarget[]; settings: FitSettings },
): { limits: SloLimit[]; refusals: string[] } {
  const judged = input.slo.map((slo) => ({ slo, curves: curvesOf(curve, { ...input, slo }) }))
  const limits = judged.flatMap(({ slo, curves }): SloLimit[] =>
    curves === null
      ? []
      : [
          {
            slo,
            binds: slo.metric === 'tpot' || slo.metric === 'gap' ? 'batch' : 'load',
            code: `slo:${sloName(slo)}`,
            maxMs: slo.maxMs,
            ...curves,
          },
        ],
  )
  return { limits, refusals: limits.length < judged.length ? ['percentile-not-in-table'] : [] }
}

type Curves = Pick<ColumnFit, 'curve' | 'draws'>

function curvesOf(
  curve: CurveFit,
  input: { fitted: CurveLaw; slo: SloTarget; settings: FitSettings },
): Curves | null {
  const { fitted, slo, settings } = input
  if (!isInTable(curve, slo)) return null
  if (slo.metric === 'tpot' && isTypical(curve, slo)) return { curve: fitted.law, draws: fitted.draws }
  if (slo.metric === 'gap') return gapCurve(curve, slo)
  return fitColumn(curve, {
    valueOf: (level) => sloValue(level, slo),
    unsaturatedOnly: slo.metric !== 'tpot',
    name: sloName(slo),
    ...settings,
  })
}

function isInTable(curve: CurveFit, slo: SloTarget): boolean {
  const usable = curve.levels.filter((level) => level.excluded === null)
  return usable.length > 0 && usable.every(({ reading }) => sloValue(reading.level, slo) !== null)
}

// The law itself was fitted to this statistic.
function isTypical(curve: CurveFit, slo: SloTarget): boolean {
  const statistic = slo.percentile === 50 ? 'p50' : slo.percentile
  return curve.levels.every((level) => level.excluded !== null || level.reading.statistic === statistic)
}

/**
 * Percentiles of token gaps jump where the share of gaps that carry a prefill chunk passes the percentile, so nothing is
 * interpolated: between two levels the gap is taken to be that of the higher one.
 */
function gapCurve(curve: CurveFit, slo: SloTarget): Curves {
  const levels = curve.levels
    .flatMap(({ reading, excluded }) => {
      const value = sloValue(reading.level, slo)
      return excluded !== null || value === null || reading.decodeBatch === null
        ? []
        : [{ batch: reading.decodeBatch, stepMs: value }]
    })
    .sort((left, right) => left.batch - right.batch)
  let highest = 0
  const rising = levels.map((level) => {
    highest = Math.max(highest, level.stepMs)
    return { ...level, stepMs: highest }
  })
  const knots = rising.flatMap((level, index) => {
    const next = rising[index + 1]
    return next === undefined ? [level] : [level, { batch: level.batch + 1e-6, stepMs: next.stepMs }]
  })
  const staircase: StepCurve = {
    form: 'isotonic',
    baseMs: 0,
    slopeMs: 0,
    shapeMs: 0,
    expertFraction: null,
    knots,
  }
  return { curve: staircase, draws: [staircase] }
}

/** The curve of a mean TTFT below saturation, as a step curve: t0 + t1·b. */
export function ttftCurve(law: StepLaw): StepCurve {
  return {
    form: 'linear',
    baseMs: law.ttftBaseMs,
    slopeMs: law.ttftSlopeMs,
    shapeMs: 0,
    expertFraction: null,
    knots: [],
  }
}
