import { latencyConcurrencyChart } from '@loadcurve/report/charts/latency-concurrency'
import { serverDocument } from '@loadcurve/report/server-document'
import { expect, test } from 'vitest'

const levels = [1, 2, 4, 8, 16].map((achievedConcurrency) => ({
  achievedConcurrency,
  p50: 100 * achievedConcurrency,
  p95: 101 * achievedConcurrency,
  p99: 102 * achievedConcurrency,
}))
const slo = { percentile: 95, maxMs: 800 }

test.each([340, 560, 1200])('latency chart: at %i px every line and the promise is named', (widthPx) => {
  const chart = latencyConcurrencyChart(
    { metric: 'TTFT', levels, slo },
    { document: serverDocument(), widthPx },
  )
  const labels = [...chart.querySelectorAll('.lc-label')]
  expect(labels.map(({ textContent }) => textContent).sort()).toEqual([
    'SLO p95 ≤ 800 ms',
    'p50',
    'p95',
    'p99',
  ])
  // Lines that end in one point have names that stand apart.
  const heights = labels
    .filter(({ textContent }) => textContent?.startsWith('p'))
    .map((label) => Number(label.getAttribute('y')))
    .sort((left, right) => left - right)
  for (const [index, height] of heights.slice(1).entries()) {
    expect(height - (heights[index] ?? 0)).toBeGreaterThanOrEqual(15)
  }
})
