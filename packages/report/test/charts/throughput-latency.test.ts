import {
  type ThroughputLatencyData,
  throughputLatencyChart,
} from '@loadcurve/report/charts/throughput-latency'
import { serverDocument } from '@loadcurve/report/server-document'
import { expect, test } from 'vitest'

const level = (label: string, tpotMs: number, outputTokensPerS: number) => ({
  ...{ label, tpotMs, outputTokensPerS },
  promisedTpotMs: 1.1 * tpotMs,
  excluded: null,
})

const data: ThroughputLatencyData = {
  levels: [level('1', 12, 80), level('8', 18, 420), level('16', 25, 620), level('32', 25, 621)],
  fitted: [12, 18, 25].map((tpotMs) => ({
    ...{ decodeBatch: tpotMs, tpotMs, outputTokensPerS: 40 * tpotMs },
    boundTpotMs: [0.95 * tpotMs, 1.05 * tpotMs] as const,
  })),
  slo: { percentile: 95, maxMs: 22 },
  recommended: { batch: 11, tpotMs: 20, outputTokensPerS: 520 },
  knee: { tpotMs: 15, outputTokensPerS: 300 },
}

test.each([340, 640])(
  'trade chart: at %i px levels, promise, recommendation and knee are named',
  (widthPx) => {
    const chart = throughputLatencyChart(data, { document: serverDocument(), widthPx })
    const labels = [...chart.querySelectorAll('.lc-label')].map(({ textContent }) => textContent)
    // 16 and 32 lie on one another and share a name.
    expect(labels.sort()).toEqual(['1', '16, 32', '8', 'SLO p95 ≤ 22 ms', 'batch 11', 'knee'])
    expect(chart.getAttribute('aria-label')).toContain('recommended batch 11: 520 tokens/s at 20 ms')
  },
)
