/** The two curves that decide: time per token against the batch, with the promise across it, and throughput. */
import type { FitLevelReport, FitReport, SloTarget } from '@loadcurve/core/capacity/recommendation'
import { sloText } from '../slo-text.ts'
import type { Style } from './style.ts'
import { type PlotPoint, plotLines } from './text-plot.ts'

export function curveSection(fit: FitReport, slo: readonly SloTarget[], style: Style): readonly string[] {
  const promise = slo.find(({ metric }) => metric === 'tpot') ?? null
  const { symbols } = style
  const key = `${symbols.measured} measured  ${symbols.fitted} fitted  ${symbols.excluded} left out`
  const tpot = plotLines(
    {
      title: `TPOT, ms  (${key})`,
      xLabel: 'requests in decode',
      measured: pointsOf(fit.levels, false, (level) => level.tpotMs),
      excluded: pointsOf(fit.levels, true, (level) => level.tpotMs),
      fitted: pointsOf(fit.levels, false, (level) => level.predictedTpotMs),
      limit: promise === null ? null : { y: promise.maxMs, label: 'SLO' },
    },
    style,
  )
  const throughput = plotLines(
    {
      title: 'Requests/s',
      xLabel: 'requests in decode',
      measured: pointsOf(fit.levels, false, (level) => level.requestsPerS),
      excluded: pointsOf(fit.levels, true, (level) => level.requestsPerS),
      fitted: pointsOf(fit.levels, false, (level) => level.predictedRequestsPerS),
      limit: null,
    },
    style,
  )
  if (tpot.length + throughput.length === 0) return []
  const promised =
    promise === null ? [] : [style.muted(`${symbols.limit}${symbols.limit} ${sloText(promise)}`)]
  return [style.heading('Curve'), ...tpot, ...promised, '', ...throughput]
}

function pointsOf(
  levels: readonly FitLevelReport[],
  excluded: boolean,
  pick: (level: FitLevelReport) => number | null,
): readonly PlotPoint[] {
  return levels.flatMap((level) => {
    const y = pick(level)
    if ((level.excluded !== null) !== excluded || y === null || level.decodeBatch === null) return []
    return [{ x: level.decodeBatch, y }]
  })
}
