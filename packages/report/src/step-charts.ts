/** The charts inside one step: throughput over time with its window, and what the server said of itself. */

import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { kvUsageChart, type ServerReading, serverQueueChart } from './charts/server-readings.ts'
import { stepThroughputChart } from './charts/step-throughput.ts'
import type { RunChart } from './run-charts.ts'
import type { ReportStep } from './run-report.ts'

export function stepCharts(step: ReportStep): readonly RunChart[] {
  return [...throughput(step), ...server(step)]
}

function throughput(step: ReportStep): readonly RunChart[] {
  const { summary } = step
  if (summary === null || summary.series.contentEvents.length < 2) return []
  const { binMs, contentEvents } = coarser(summary.series)
  const binS = binMs / 1000
  // Events become tokens by the ratio that the whole window has.
  const events = summary.series.contentEvents.reduce((sum, count) => sum + count, 0)
  const tokens = (summary.outputTokensPerS ?? 0) * summary.windowS
  const tokensPerEvent = events === 0 ? 0 : tokens / events
  const bins = contentEvents.map((count, index) => ({
    atS: index * binS,
    outputTokensPerS: (count * tokensPerEvent) / binS,
  }))
  return [
    {
      id: `throughput-${step.step}`,
      title: 'Throughput over time',
      caption: 'Output tokens per second inside the step; the measured window is shaded.',
      draw: (context) => stepThroughputChart({ bins, windowS: [0, summary.windowS] }, context),
    },
  ]
}

/** Neighbouring bins together, until a drawing can show them: fine ones show lockstep of the engine, not a trend. */
function coarser({ binMs, contentEvents }: StepSummary['series']): StepSummary['series'] {
  const together = Math.ceil(contentEvents.length / BINS_MAX)
  const sums = Array.from({ length: Math.floor(contentEvents.length / together) }, (_, index) =>
    contentEvents.slice(index * together, (index + 1) * together).reduce((sum, count) => sum + count, 0),
  )
  return { binMs: binMs * together, contentEvents: sums }
}

const BINS_MAX = 120

function server(step: ReportStep): readonly RunChart[] {
  const readings: ServerReading[] = step.targetReadings.map((reading) => ({
    atS: reading.atMs / 1000,
    running: reading.running,
    waiting: reading.waiting,
    kvUsageFraction: reading.kvUsageFraction,
  }))
  const charts: RunChart[] = []
  if (readings.filter(({ running }) => running !== null).length > 1) {
    charts.push({
      id: `server-queue-${step.step}`,
      title: 'Sequences on the server',
      caption: 'From the server’s own metrics: running (solid) and waiting (dashed).',
      draw: (context) => serverQueueChart(readings, context),
    })
  }
  if (readings.filter(({ kvUsageFraction }) => kvUsageFraction !== null).length > 1) {
    charts.push({
      id: `kv-${step.step}`,
      title: 'KV cache in use',
      caption: 'From the server’s own metrics.',
      draw: (context) => kvUsageChart(readings, context),
    })
  }
  return charts
}
