import { requestsOnServer, serverSummary } from '@loadcurve/core/metrics/server-summary'
import { expect, test } from 'vitest'
import { readingAt } from './records.ts'

const window = { startMs: 0, endMs: 1_000 }

test('server summary: gauges averaged, counters as their increase, only inside the window', () => {
  const counters = (step: number) => ({
    preemptionsTotal: 100 + step,
    queueTimeSumS: 10 + step * 0.5,
    queueTimeCount: 50 + step * 10,
    prefixCacheHitsTotal: 5 + step * 3,
    prefixCacheQueriesTotal: 20 + step * 4,
  })
  const readings = [
    readingAt(-1, { running: 99, ...counters(0) }),
    readingAt(0, { running: 2, waiting: 0, kvUsageFraction: 0.1, ...counters(1) }),
    readingAt(500, { running: 4, waiting: 1, kvUsageFraction: 0.3, ...counters(2) }),
    readingAt(999, { running: 6, waiting: null, kvUsageFraction: 0.2, ...counters(3) }),
    readingAt(1_000, { running: 99, ...counters(9) }),
  ]
  expect(serverSummary(readings, window)).toEqual({
    readings: 3,
    runningMean: 4,
    runningMax: 6,
    waitingMean: 0.5,
    kvUsageMeanFraction: expect.closeTo(0.2, 12),
    kvUsageMaxFraction: 0.3,
    preemptions: 2,
    cacheHitFraction: 0.75,
    queueTimeMeanMs: 50,
    queueTimeCount: 20,
  })
})

test('server summary: nothing read is null, what the server does not tell is null, a restarted counter too', () => {
  expect(serverSummary([readingAt(2_000)], window)).toBeNull()
  expect(serverSummary([readingAt(1), readingAt(2)], window)).toMatchObject({
    runningMean: null,
    preemptions: null,
  })
  const restarted = [5, 8, 1].map((preemptionsTotal, index) => readingAt(index, { preemptionsTotal }))
  expect(serverSummary(restarted, window)?.preemptions).toBeNull()
  const idle = [5, 5].map((queueTimeCount, index) => readingAt(index, { queueTimeCount, queueTimeSumS: 1 }))
  expect(serverSummary(idle, window)?.queueTimeMeanMs).toBeNull()
})

test('requests on the server: mean of running + waiting with its error; too few readings say nothing', () => {
  const readings = [3, 5, 4, 4, 5, 3, 4, 4].map((running, index) => readingAt(index, { running, waiting: 1 }))
  const found = requestsOnServer(readings, window)
  expect(found?.mean).toBe(5)
  expect(found?.standardError).toBeGreaterThan(0)
  expect(requestsOnServer(readings.slice(0, 4), window)).toBeNull()
  expect(
    requestsOnServer(
      readings.map((one) => ({ ...one, waiting: null })),
      window,
    ),
  ).toBeNull()
})
