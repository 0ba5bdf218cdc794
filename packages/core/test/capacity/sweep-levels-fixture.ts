import { closedLoopReplay } from '@loadcurve/core/capacity/calibration'
import { meanOf, percentileOf } from '@loadcurve/core/capacity/simulate/latencies'
import type { Level } from '@loadcurve/core/fit/level'
import { closedLevel, column, engineOf } from './law-fixture.ts'
import { poissonTraffic, SILENT } from './traffic-fixture.ts'

/** A closed-loop sweep of the linear law with 32 places, as a table would hold it: percentiles and means. */
export function sweepLevels(): Level[] {
  return [1, 2, 4, 8, 16, 24, 32, 48, 64].map((concurrency) => {
    const twin = closedLoopReplay(engineOf(), poissonTraffic(), {
      clients: concurrency,
      noise: SILENT,
      seed: 4,
    })
    const columnOf = (values: Float64Array) =>
      column({
        mean: meanOf(values),
        p50: percentileOf(values, 50),
        p95: percentileOf(values, 95),
        p99: percentileOf(values, 99),
      })
    return closedLevel({
      label: `N=${concurrency}`,
      concurrency,
      requestsPerS: twin.requestsPerS,
      outputTokensPerS: twin.requestsPerS * 201,
      inputTokens: 1000,
      outputTokens: 201,
      requests: 4000,
      okFraction: 0.99,
      ttftMs: columnOf(twin.latencies.ttft),
      tpotMs: columnOf(twin.latencies.tpot),
      e2eMs: columnOf(twin.latencies.e2e),
    })
  })
}
