import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { emptyGapLog, gapFigure, gapLogs, gapShareAtBatch } from '@loadcurve/core/capacity/simulate/gaps'
import { judgedEndMs, judgedMs } from '@loadcurve/core/capacity/simulate/latencies'
import { replayAt } from '@loadcurve/core/capacity/simulate/rehearsal'
import { describe, expect, test } from 'vitest'
import { engineOf } from '../law-fixture.ts'
import { rehearsalOf } from '../traffic-fixture.ts'

const log = { ms: [10, 80, 12, 95], gaps: [60, 6, 30, 4], batch: [1, 6, 2, 4] }

describe('gaps', () => {
  test('a percentile counts gaps, not steps', () => {
    expect([50, 60, 90, 95, 99].map((percentile) => gapFigure(log, percentile))).toEqual([10, 10, 12, 80, 95])
    expect(gapFigure(log, 'mean')).toBeCloseTo((60 * 10 + 6 * 80 + 30 * 12 + 4 * 95) / 100, 12)
    expect(gapFigure(log, 50, { from: 1, to: 2 })).toBe(80)
    expect(gapFigure(emptyGapLog(), 50)).toBeNull()
  })

  test('parts follow one another, and the share of a batch is that of its gaps', () => {
    expect([...gapLogs(log, 50, 2)]).toEqual([Math.log(10), Math.log(12)])
    expect(gapShareAtBatch(log, 4)).toBeCloseTo(0.1, 12)
    expect(gapShareAtBatch(emptyGapLog(), 1)).toBe(0)
  })

  test('a simulated percentile of gaps has an interval, and a longer simulation a narrower one', () => {
    const target: SloTarget = { metric: 'gap', percentile: 99, maxMs: 1 }
    const widthOf = (requests: number) => {
      const replay = replayAt(rehearsalOf(requests), engineOf(), 8)
      const judged = judgedMs(target, replay.latencies, replay.log) ?? Number.NaN
      const upper = judgedEndMs(target, replay, 'upper') ?? Number.NaN
      expect(upper).toBeGreaterThan(judged)
      return upper / judged - 1
    }
    expect(widthOf(20_000)).toBeLessThan(widthOf(500))
  })

  test('they are logged in the order of the steps', () => {
    const { gaps } = replayAt(rehearsalOf(300), engineOf(), 5).log
    expect(gaps.ms).toHaveLength(gaps.gaps.length)
    expect(gaps.batch.every((batch, at) => (gaps.gaps[at] ?? 0) % batch === 0)).toBe(true)
  })
})
