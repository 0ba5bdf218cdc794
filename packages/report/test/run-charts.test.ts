import { runCharts } from '@loadcurve/report/run-charts'
import { serverDocument } from '@loadcurve/report/server-document'
import { stepCharts } from '@loadcurve/report/step-charts'
import { expect, test } from 'vitest'
import { exampleReport } from './support/example-report.ts'

const report = exampleReport()
const context = { document: serverDocument(), widthPx: 640 }

test('run charts: a sweep with a price and an answer has all of them', () => {
  expect(runCharts(report).map(({ id }) => id)).toEqual([
    ...['trade', 'ttft-concurrency', 'tpot-concurrency', 'open-loop', 'cost', 'littles-law'],
    ...['ttft-distribution', 'tpot-distribution', 'gap-distribution'],
  ])
})

test('run charts: what has no data is left out, whatever is missing', () => {
  const ids = (part: Partial<typeof report>) => runCharts({ ...report, ...part }).map(({ id }) => id)
  expect(ids({ steps: [], recommendation: null })).toEqual([])
  expect(ids({ recommendation: null })).not.toContain('open-loop')
  expect(ids({ plan: { ...report.plan, hardware: null } })).not.toContain('cost')
})

test('run charts: a sweep over arrival rates names its levels by them', () => {
  const steps = [2, 3, 4].map((ratePerS, step) => {
    const level = { batch: null, concurrency: null, ratePerS }
    const like = report.steps[step + 2]
    if (like?.summary == null) throw new Error('the example has figures for its first steps')
    return { ...like, level, summary: { ...like.summary, level } }
  })
  const charts = runCharts({ ...report, steps, recommendation: null })
  const trade = charts.find(({ id }) => id === 'trade')?.draw(context)
  expect(trade?.getAttribute('aria-label')).toMatch(/2\/s: .* 3\/s: .* 4\/s: /)
})

test('run charts: the trade chart shows the held-out level as kept out, and the levels as the table has them', () => {
  const trade = runCharts(report)
    .find(({ id }) => id === 'trade')
    ?.draw(context)
  expect(trade?.getAttribute('aria-label')).toMatch(/8: 420 tokens\/s at 18\.4 ms \(excluded: held-out\)/)
})

const reading = (atMs: number) => ({
  ...{ atMs, running: 12, waiting: 3, kvUsageFraction: 0.4 },
  ...{ queueTimeSumS: null, queueTimeCount: null, preemptionsTotal: null },
  ...{ prefixCacheHitsTotal: null, prefixCacheQueriesTotal: null },
})

test('step charts: what the server said of itself is drawn where it was scraped', () => {
  const [step] = report.steps
  if (step === undefined) throw new Error('the example has steps')
  expect(stepCharts(step).map(({ title }) => title)).toEqual(['Throughput over time'])
  const scraped = { ...step, targetReadings: [reading(0), reading(1000), reading(2000)] }
  const charts = stepCharts(scraped)
  expect(charts.map(({ title }) => title)).toEqual([
    'Throughput over time',
    'Sequences on the server',
    'KV cache in use',
  ])
  const labels = [...(charts[1]?.draw(context).querySelectorAll('.lc-label') ?? [])]
  expect(labels.map(({ textContent }) => textContent)).toEqual(['running', 'waiting'])
})

test('step charts: a long step is drawn in few bins, and its mean is the summary’s', () => {
  const step = report.steps[3]
  if (step?.summary == null) throw new Error('the example has figures for its first steps')
  const [chart] = stepCharts(step)
  const drawing = chart?.draw(context)
  // 400 bins of 100 ms are drawn as 100 of 400 ms: the line has 99 segments.
  const line = drawing?.querySelector('[data-part="line"] path')?.getAttribute('d') ?? ''
  expect(line.split('L')).toHaveLength(100)
  expect(drawing?.getAttribute('aria-label')).toContain(
    `Mean inside the window ${Math.round(step.summary.outputTokensPerS ?? 0)} `,
  )
})
