/**
 * From what the load processes recorded to the metrics of a step. The cost is linear in the samples but for sorting,
 * which runs on typed arrays.
 */
import { batchMeans } from './batch-means.ts'
import { meanInFlight } from './concurrency.ts'
import { DEFINITIONS_VERSION } from './definitions.ts'
import { stepCaveats, stepRefusals } from './gates.ts'
import type { JudgedStep } from './generator-health.ts'
import { judgeGenerators, worstReadings } from './generator-health.ts'
import { gapStatistics, latencyStatistics } from './latency-statistics.ts'
import type { LawInputs, LittlesLaw } from './littles-law.ts'
import { littlesLaw } from './littles-law.ts'
import { countOutcomes, errorExamples } from './outcomes.ts'
import type { RequestMetric } from './request.ts'
import { assumesFirstEventTokens } from './request.ts'
import type { Sample, ShardRecord, TargetReading } from './sample.ts'
import { requestsOnServer, serverSummary } from './server-summary.ts'
import { steadyState } from './steady-state.ts'
import type { StepFacts } from './step-facts.ts'
import type { StepSource } from './step-source.ts'
import { readStep, windowSOf } from './step-source.ts'
import type { StepSummary } from './step-summary.ts'
import { goodputOf, verdictOf } from './step-verdicts.ts'
import { requestsPerS, requestsPerSError, wholeRunS } from './throughput.ts'
import {
  cachedFraction,
  inputLengths,
  outputLengths,
  outputTokensInWindow,
  reasoningMean,
  wholeRunTokens,
} from './tokens.ts'

/**
 * The summary of one step: plain JSON.
 *
 * @param shards the records of all load processes of the step
 * @param targetReadings the server's own metrics, on the same clock; empty: not scraped
 * @throws RangeError when there are no shards, or their windows do not overlap
 */
export function summariseStep({
  shards,
  targetReadings,
  facts,
}: {
  readonly shards: readonly ShardRecord[]
  readonly targetReadings: readonly TargetReading[]
  readonly facts: StepFacts
}): StepSummary {
  const source = readStep(shards, facts)
  const requests = { ...identityOf(source, facts), ...requestsOf(source), ...lengthsOf(source) }
  const rates = ratesOf(source, facts, requests.inputTokens.achieved)
  const measured = { ...requests, ...rates, latency: latenciesOf(source) }
  const occupied = { ...measured, concurrency: concurrencyOf(source, facts, measured.requestsPerS) }
  const server = serverSummary(targetReadings, source.window)
  const judged = {
    ...occupied,
    ...derivedLatencies(occupied.latency, facts),
    goodput: goodputOf(source, facts.slo),
    slo: facts.slo.map((target) => verdictOf(target, source)),
    littlesLaw: lawOf(
      occupied,
      perRequest(requestsOnServer(targetReadings, source.window), source.sequences),
    ),
    steadyState: {
      throughput: steadyState(source.series.contentEvents),
      ttft: steadyState(source.columns.latency.ttft.values),
    },
    relativeErrors: relativeErrorsOf(source, occupied.latency),
    series: source.series,
    server,
    cache: cacheOf(source.measured, server, facts),
    generator: generatorOf(shards, { loop: source.loop, ttftMs: occupied.latency.ttft.p50 }),
    fingerprint: facts.fingerprint,
  }
  return {
    ...judged,
    refusals: stepRefusals(judged, facts.lengthsForced),
    caveats: stepCaveats(judged, facts.lengthsForced),
  }
}

type Part<Keys extends keyof StepSummary> = Pick<StepSummary, Keys>

function identityOf(
  source: StepSource,
  facts: StepFacts,
): Part<
  | 'schemaVersion'
  | 'definitionsVersion'
  | 'level'
  | 'batchControl'
  | 'loop'
  | 'thinkTimeS'
  | 'shards'
  | 'windowStartMs'
  | 'windowS'
> {
  return {
    schemaVersion: 1,
    definitionsVersion: DEFINITIONS_VERSION,
    level: facts.level,
    batchControl: facts.batchControl,
    loop: source.loop,
    thinkTimeS: facts.thinkTimeS,
    shards: source.shards.length,
    windowStartMs: source.window.startMs,
    windowS: windowSOf(source),
  }
}

function requestsOf({
  shards,
  measured,
  completions,
  sequences,
  columns,
}: StepSource): Part<'requests' | 'errors'> {
  const byOutcome = countOutcomes(measured)
  const all = shards.reduce((sum, shard) => sum + shard.samples.length, 0)
  return {
    requests: {
      scheduled: measured.length,
      ok: byOutcome.ok,
      failed: columns.failed.reduce((sum, one) => sum + one, 0),
      byOutcome,
      retries: measured.reduce((sum, sample) => sum + sample.retries, 0),
      completedInWindow: completions.length,
      unmeasured: all - measured.length,
      sequences,
    },
    errors: errorExamples(measured),
  }
}

function lengthsOf({
  shards,
  measured,
}: StepSource): Part<
  'inputTokens' | 'outputTokens' | 'reasoningTokensMean' | 'assumedFirstEventTokens' | 'gapsAreTokenGaps'
> {
  return {
    inputTokens: inputLengths(measured),
    outputTokens: outputLengths(measured),
    reasoningTokensMean: reasoningMean(measured),
    assumedFirstEventTokens: measured.reduce(
      (sum, sample) => sum + (assumesFirstEventTokens(sample) ? 1 : 0),
      0,
    ),
    gapsAreTokenGaps: shards.every((shard) => shard.gapsAreTokenGaps),
  }
}

function ratesOf(
  source: StepSource,
  facts: StepFacts,
  inputTokensMean: number | null,
): Part<'requestsPerS' | 'outputTokensPerS' | 'outputTokensPerSPerGpu' | 'inputTokensPerS' | 'wholeRun'> {
  const tokens = outputTokensInWindow(source.shards)
  const outputTokensPerS = tokens === null ? null : tokens / windowSOf(source)
  const perS = requestsPerS(source.completions)
  const gpus = facts.gpusPerReplica
  return {
    requestsPerS: perS,
    outputTokensPerS,
    outputTokensPerSPerGpu: outputTokensPerS === null || gpus === null ? null : outputTokensPerS / gpus,
    inputTokensPerS: perS === null || inputTokensMean === null ? null : perS * inputTokensMean,
    wholeRun: wholeRunOf(source),
  }
}

function wholeRunOf({ shards, intervals }: StepSource): StepSummary['wholeRun'] {
  const durationS = wholeRunS(intervals)
  const tokens = wholeRunTokens(shards)
  const outputTokensPerS = tokens === null || durationS === 0 ? null : tokens / durationS
  return { durationS, requests: intervals.startAtMs.length, outputTokensPerS }
}

function latenciesOf({ columns, gaps, window }: StepSource): StepSummary['latency'] {
  const of = (metric: RequestMetric) => latencyStatistics(columns.latency[metric])
  return {
    ttft: of('ttft'),
    ttftScheduled: of('ttftScheduled'),
    firstVisibleToken: of('firstVisibleToken'),
    tpot: of('tpot'),
    gap: gapStatistics(gaps, window.endMs - window.startMs),
    e2e: of('e2e'),
    validJson: of('validJson'),
  }
}

function derivedLatencies(
  { ttft, tpot }: StepSummary['latency'],
  { zeroLoadTtftMs }: StepFacts,
): Part<'tokensPerSPerUser' | 'ttftInflationMs'> {
  return {
    tokensPerSPerUser: tpot.p50 === null || tpot.p50 === 0 ? null : 1_000 / tpot.p50,
    ttftInflationMs: ttft.mean === null || zeroLoadTtftMs === null ? null : ttft.mean - zeroLoadTtftMs,
  }
}

function concurrencyOf(
  source: StepSource,
  facts: StepFacts,
  perS: number | null,
): StepSummary['concurrency'] {
  const { intervals, window, sequences } = source
  const { ttft, e2e } = source.columns.latency
  const stage = (seconds: number | null) => (perS === null || seconds === null ? null : perS * seconds)
  const decode = stage(meanDifferenceS(e2e.perRequest, ttft.perRequest))
  return {
    nominal: facts.level.concurrency,
    achieved: meanInFlight(intervals, window),
    prefill: stage(meanDifferenceS(ttft.perRequest, null)),
    decodeBatch: decode === null ? null : decode * sequences,
  }
}

function lawOf(
  step: Part<'concurrency' | 'requestsPerS' | 'requests' | 'latency' | 'thinkTimeS'>,
  onServer: LawInputs['onServer'],
): LittlesLaw {
  const { e2e } = step.latency
  return littlesLaw({
    nominal: step.concurrency.nominal,
    achieved: step.concurrency.achieved,
    requestsPerS: step.requestsPerS,
    requestsPerSDerived: false,
    completions: step.requests.completedInWindow,
    residenceS: e2e.mean === null ? null : e2e.mean / 1_000,
    thinkTimeS: step.thinkTimeS,
    onServer,
  })
}

function relativeErrorsOf(
  { completions, series, window }: StepSource,
  { ttft, tpot }: StepSummary['latency'],
): StepSummary['relativeErrors'] {
  return {
    requestsPerS: requestsPerSError(completions, window),
    outputTokensPerS: batchMeans(series.contentEvents)?.relativeError ?? null,
    ttft: ttft.relativeError,
    tpot: tpot.relativeError,
  }
}

function cacheOf(
  measured: readonly Sample[],
  server: StepSummary['server'],
  facts: StepFacts,
): StepSummary['cache'] {
  const asked = facts.cacheReuse
  const byUsage = cachedFraction(measured)
  if (byUsage !== null) return { hitFraction: byUsage, source: 'usage', asked }
  const byServer = server?.cacheHitFraction ?? null
  return { hitFraction: byServer, source: byServer === null ? null : 'server-metrics', asked }
}

function generatorOf(shards: readonly ShardRecord[], step: JudgedStep): StepSummary['generator'] {
  const readings = shards.map((shard) => shard.readings)
  return { ...judgeGenerators(readings, step), readings: worstReadings(readings) }
}

// The server counts sequences; the client has requests in flight.
function perRequest(
  onServer: ReturnType<typeof requestsOnServer>,
  sequences: number,
): ReturnType<typeof requestsOnServer> {
  if (onServer === null) return null
  return { mean: onServer.mean / sequences, standardError: onServer.standardError / sequences }
}

// Mean of minuend - subtrahend over the requests that have both, s; subtrahend null: of the minuend alone.
function meanDifferenceS(minuend: Float64Array, subtrahend: Float64Array | null): number | null {
  let [sum, count] = [0, 0]
  for (let index = 0; index < minuend.length; index++) {
    const difference =
      (minuend[index] ?? Number.NaN) - (subtrahend === null ? 0 : (subtrahend[index] ?? Number.NaN))
    if (Number.isNaN(difference)) continue
    sum += difference
    count++
  }
  return count === 0 ? null : sum / count / 1_000
}
