import { summariseStep } from '@loadcurve/core/metrics/summary'
import { expect, test } from 'vitest'
import { realSteps, rowsOf } from './real-engine.ts'
import { factsOf, failedAt, readingAt, sampleAt, shardOf } from './records.ts'

const summarise = (
  shards: Parameters<typeof summariseStep>[0]['shards'],
  changes = {},
  targetReadings = [] as never[],
) => summariseStep({ shards, targetReadings, facts: factsOf(changes) })

const steps = realSteps()
const published = rowsOf('llamacpp_small_closed.csv')

// The aggregated table was computed from these rows by other code; its rounding is half a unit of its last digit, and
// the rows themselves are rounded to 0.01 ms.
test.each(steps.map(({ concurrency, shard }, index) => [concurrency, index, shard] as const))(
  'summary: a real engine at concurrency %i (step %i) gives its published row',
  (concurrency, _index, shard) => {
    const summary = summarise([shard], { level: { batch: null, concurrency, ratePerS: null } })
    const { ttft, tpot } = summary.latency
    const row = published.find(([level, n]) => level === concurrency && n === summary.requests.ok)
    const [
      ,
      n,
      input,
      output,
      perS,
      tokensPerS,
      achieved,
      ttftMean,
      ttftP50,
      ttftP95,
      tpotMean,
      tpotP50,
      tpotP95,
    ] = row ?? []
    expect(summary.requests).toMatchObject({ scheduled: n, ok: n, failed: 0 })
    const near = (value: number | null, expected: number | undefined, tolerance: number) =>
      expect(Math.abs((value ?? Number.NaN) - (expected ?? Number.NaN))).toBeLessThanOrEqual(tolerance)
    near(summary.inputTokens.achieved, input, 0.0501)
    near(summary.outputTokens.achieved, output, 0.0501)
    near(summary.requestsPerS, perS, 0.000051)
    // The events between the first and the last were stamped there and are interpolated here: 5 tokens in 60 s.
    near(summary.outputTokensPerS, tokensPerS, 5 / 60)
    near(summary.concurrency.achieved, achieved, 0.00051)
    near(ttft.mean, ttftMean, 0.0151)
    near(ttft.p50, ttftP50, 0.0151)
    near(ttft.p95, ttftP95, 0.0151)
    near(tpot.mean, tpotMean, 0.0051)
    near(tpot.p50, tpotP50, 0.0051)
    near(tpot.p95, tpotP95, 0.0051)
  },
)

test('summary: a real engine passes every gate, but for the step in which it changed its pace, and Little’s law holds', () => {
  for (const { concurrency, shard } of steps) {
    const summary = summarise([shard], { level: { batch: null, concurrency, ratePerS: null } })
    // At 3 in flight its throughput rose by a quarter in mid-step: mean TPOT 18.5 ms, median 16.95.
    expect(summary.refusals).toEqual(concurrency === 3 ? ['no-steady-state'] : [])
    expect(summary.littlesLaw.holds).toBe(true)
    expect(summary.littlesLaw.ratio).toBeGreaterThan(0.997)
    // X*R and L are both from the client: they agree to the requests that the edges cut.
    expect(Math.abs((summary.littlesLaw.identity.ratio ?? 0) - 1)).toBeLessThan(0.05)
  }
})

test('summary: eight slots read as a decode batch of 7.7 beyond saturation, since a prefilling request holds one', () => {
  for (const { concurrency, shard } of steps.filter((step) => step.concurrency >= 8)) {
    const summary = summarise([shard], { level: { batch: null, concurrency, ratePerS: null } })
    expect(Math.abs((summary.concurrency.decodeBatch ?? 0) - 7.7)).toBeLessThan(0.2)
  }
})

test('summary: splitting a step into shards changes nothing', () => {
  const whole = steps[5]?.shard
  if (whole === undefined) throw new Error('fixture has no step 5')
  const part = (rest: number) => ({
    ...whole,
    shard: rest,
    samples: whole.samples.filter((one) => one.index % 3 === rest),
  })
  const empty = {
    ...whole,
    gapHistogram: shardOf([]).gapHistogram,
    contentEventBins: { binMs: 100, counts: whole.contentEventBins.counts.map(() => 0) },
  }
  const shards = [
    part(0),
    { ...empty, ...{ shard: 1, samples: part(1).samples } },
    { ...empty, ...{ shard: 2, samples: part(2).samples } },
  ]
  const { shards: _one, generator: _g1, ...expected } = summarise([whole])
  const { shards: count, generator: _g2, ...merged } = summarise(shards)
  expect(count).toBe(3)
  // The order of a sum of floating-point numbers is all that may differ.
  const rounded = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value, (_key, part) => (typeof part === 'number' ? Number(part.toPrecision(12)) : part)),
    )
  expect(rounded(merged)).toEqual(rounded(expected))
})

test('summary: a step worked out by hand', () => {
  // Five requests a fifth of a second apart, each 100 ms to the first token and 100 ms more for ten further ones.
  const samples = [0, 1, 2, 3, 4].map((index) => sampleAt(index * 200, { index }))
  const summary = summarise([shardOf(samples)], { gpusPerReplica: 2, zeroLoadTtftMs: 80 })
  expect(summary.requestsPerS).toBeCloseTo(5, 10)
  expect(summary.outputTokensPerS).toBe(55)
  expect(summary.outputTokensPerSPerGpu).toBe(27.5)
  expect(summary.inputTokensPerS).toBeCloseTo(250, 10)
  expect(summary.tokensPerSPerUser).toBe(100)
  expect(summary.concurrency.achieved).toBe(1)
  expect(summary.concurrency.prefill).toBeCloseTo(0.5, 10)
  expect(summary.concurrency.decodeBatch).toBeCloseTo(0.5, 10)
  expect(summary.latency.ttft).toMatchObject({ n: 5, mean: 100, p50: 100, tooFew: ['p90', 'p95', 'p99'] })
  expect(summary.ttftInflationMs).toBe(20)
  expect(summary.wholeRun).toEqual({ durationS: 1, requests: 5, outputTokensPerS: 55 })
  expect(summary.goodput).toEqual({ fraction: 1, perS: 5, n: 5 })
})

test('summary: tokens count where their event arrived, whoever started the request', () => {
  const early = sampleAt(-150, { index: 0, phase: 'warmup', contentEventsInWindow: 6 })
  const inside = sampleAt(300, { index: 1 })
  const late = sampleAt(950, { index: 2, contentEventsInWindow: 0 })
  const summary = summarise([shardOf([early, inside, late])])
  expect(summary.outputTokensPerS).toBe(6 + 11)
  expect(summary.requests).toMatchObject({ scheduled: 2, completedInWindow: 2, unmeasured: 1 })
})

test('summary: failed requests pollute no latency, count as failed, and are shown', () => {
  const samples = [
    sampleAt(0, { index: 0 }),
    failedAt(100, { index: 1, errorCode: 'server_error', errorText: 'out of memory' }),
    failedAt(200, { index: 2, errorCode: 'server_error', errorText: 'out of memory' }),
    sampleAt(300, { index: 3, outcome: 'truncated', firstContentAtMs: 301, errorCode: 'eof' }),
    sampleAt(400, {
      index: 4,
      outcome: 'dropped',
      sentAtMs: null,
      firstContentAtMs: null,
      lastContentAtMs: null,
      closedAtMs: null,
      contentEvents: 0,
      contentEventsInWindow: 0,
    }),
    sampleAt(500, { index: 5, outcome: 'cancelled' }),
  ]
  const slo = [{ metric: 'ttft' as const, percentile: 95, maxMs: 500 }]
  const summary = summarise([shardOf(samples)], { slo })
  expect(summary.requests).toMatchObject({ scheduled: 6, ok: 1, failed: 4 })
  expect(summary.requests.byOutcome).toMatchObject({
    ok: 1,
    http_error: 2,
    truncated: 1,
    dropped: 1,
    cancelled: 1,
    timeout: 0,
  })
  expect(summary.latency.ttft).toMatchObject({ n: 1, mean: 100 })
  expect(summary.errors[0]).toEqual({
    outcome: 'http_error',
    code: 'server_error',
    text: 'out of memory',
    count: 2,
  })
  expect(summary.goodput.fraction).toBeCloseTo(1 / 6, 12)
  expect(summary.slo[0]).toMatchObject({ n: 5, over: 4 })
  expect(summary.refusals).toContain('error-rate')
})

test('summary: in open loop TTFT is judged from the schedule', () => {
  const samples = Array.from({ length: 100 }, (_, index) =>
    sampleAt(index * 10, { index, scheduledAtMs: index * 10 - 900 }),
  )
  const slo = [{ metric: 'ttft' as const, percentile: 50, maxMs: 500 }]
  const open = summarise([shardOf(samples)], {
    slo,
    level: { batch: null, concurrency: null, ratePerS: 100 },
  })
  const closed = summarise([shardOf(samples)], { slo })
  expect(open.slo[0]).toMatchObject({ verdict: 'missed', over: 100, measuredMs: 1_000 })
  expect(closed.slo[0]).toMatchObject({ verdict: 'met', over: 0, measuredMs: 100 })
  expect(open.goodput.fraction).toBe(0)
  expect(closed.goodput.fraction).toBe(1)
})

test('summary: a one-token reply is neither good nor bad for TPOT', () => {
  const oneToken = {
    outputTokens: 1,
    outputTokensAsked: 1,
    lastContentAtMs: 100,
    contentEvents: 1,
    contentEventsInWindow: 1,
  }
  const slo = [{ metric: 'tpot' as const, percentile: 50, maxMs: 5 }]
  const summary = summarise([shardOf([sampleAt(0, oneToken), sampleAt(0, { index: 1 })])], { slo })
  expect(summary.latency.tpot.n).toBe(1)
  expect(summary.slo[0]).toMatchObject({ n: 1, over: 1 })
  expect(summary.goodput.fraction).toBe(0.5)
})

test('summary: JSON that never came breaks its promise', () => {
  const slo = [{ metric: 'validJson' as const, percentile: 50, maxMs: 500 }]
  const samples = [sampleAt(0, { validJsonAtMs: 150 }), sampleAt(0, { index: 1 })]
  const summary = summarise([shardOf(samples)], { slo })
  expect(summary.latency.validJson).toMatchObject({ n: 1, mean: 150 })
  expect(summary.slo[0]).toMatchObject({ n: 2, over: 1 })
  expect(summary.goodput.fraction).toBe(0.5)
})

test('summary: an unknown token count is unknown everywhere, never chunks', () => {
  const samples = [sampleAt(0), sampleAt(0, { index: 1, outputTokens: null, outputTokensSource: 'unknown' })]
  const summary = summarise([shardOf(samples)])
  expect(summary.outputTokensPerS).toBeNull()
  expect(summary.wholeRun.outputTokensPerS).toBeNull()
  expect(summary.outputTokens).toMatchObject({ achieved: null, differenceFraction: null, source: 'mixed' })
  expect(summary.latency.tpot.n).toBe(1)
  expect(summary.caveats).toContain('output-tokens-unknown')
})

test('summary: several sequences in a request decode together', () => {
  const two = { sequences: 2, outputTokens: 22, contentEvents: 22, contentEventsInWindow: 22 }
  const samples = [0, 1, 2, 3, 4].map((index) => sampleAt(index * 200, { index, ...two }))
  const summary = summarise([shardOf(samples)])
  expect(summary.latency.tpot.mean).toBe(10)
  expect(summary.concurrency.decodeBatch).toBeCloseTo(1, 10)
  expect(summary.requests.sequences).toBe(2)
})

test('summary: more on the server than ours is foreign traffic', () => {
  const readings = Array.from({ length: 20 }, (_, index) =>
    readingAt(index * 50, { running: 6, waiting: index % 2 }),
  )
  const samples = [0, 1, 2, 3, 4].map((index) => sampleAt(index * 200, { index }))
  const summary = summariseStep({ shards: [shardOf(samples)], targetReadings: readings, facts: factsOf() })
  expect(summary.refusals).toContain('foreign-traffic')
  expect(summary.littlesLaw.server.ratio).toBeCloseTo(6.5, 10)
  const calm = readings.map((one) => ({ ...one, running: 1, waiting: 0 }))
  const alone = summariseStep({ shards: [shardOf(samples)], targetReadings: calm, facts: factsOf() })
  expect(alone.refusals).not.toContain('foreign-traffic')
})

test('summary: a step without any request is all null, not zero, and plain JSON', () => {
  const summary = summarise([shardOf([])], { slo: [{ metric: 'ttft', percentile: 95, maxMs: 1 }] })
  expect(summary.requestsPerS).toBeNull()
  expect(summary.latency.ttft).toMatchObject({ n: 0, mean: null, p50: null, p95: null })
  expect(summary.goodput).toEqual({ fraction: null, perS: null, n: 0 })
  expect(summary.slo[0]?.verdict).toBe('undecided')
  expect(JSON.parse(JSON.stringify(summary))).toEqual(summary)
})

test('summary: no shards is the programmer’s mistake', () => {
  expect(() => summarise([])).toThrow('a step has at least one shard, got none')
  expect(() => summarise([shardOf([]), shardOf([], { windowStartMs: 2_000, windowEndMs: 3_000 })])).toThrow(
    'shards have no common window: 2000 to 1000',
  )
})
