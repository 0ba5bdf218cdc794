// What does an answer cost? The search for lambda_slo by simulation, how its cost grows with the batch limit, with the
// number of requests and (not at all) with the tokens of an answer, and a what-if from cached draws.
//
//   node benchmarks/capacity.bench.mjs
//
// Limits: lambda_slo for 8,000-token prompts within 5 s, a what-if within 50 ms (medians). Ends with 1 when one is passed.
import { arrivalRateUnderSlo, requestsFor } from '@loadcurve/core/capacity/arrival-rate'
import { answerFromCurve } from '@loadcurve/core/capacity/capacity-answer'
import { peakDemand } from '@loadcurve/core/capacity/demand'
import { sharpenedRate } from '@loadcurve/core/capacity/sharpened-rate'
import { engineModel } from '@loadcurve/core/capacity/simulate/engine-model'
import { drawRehearsal, replayAt } from '@loadcurve/core/capacity/simulate/rehearsal'
import { prepareWhatIf, whatIf } from '@loadcurve/core/capacity/what-if'
import { closedLoopPoint } from '@loadcurve/core/fit/closed-loop'
import { fitCurve } from '@loadcurve/core/fit/curve'

const RATE_LIMIT_MS = 5000
const WHAT_IF_LIMIT_MS = 50
const silent = { ttftSigma: 0, tpotSigma: 0 }

const law = (inputTokens, outputTokens) => {
  const prefillMs = { p0: 20, p1: 0.0705, p2: 1.3e-6 }
  const workMs = prefillMs.p0 + prefillMs.p1 * inputTokens + prefillMs.p2 * inputTokens ** 2 - 18
  return {
    form: 'linear',
    baseMs: 18,
    slopeMs: 0.1 + workMs / (outputTokens - 1),
    shapeMs: 0,
    expertFraction: null,
    knots: [],
    saturationBatch: null,
    ttftBaseMs: workMs + 18,
    ttftSlopeMs: 1,
    prefillMs,
    prefillSource: 'probes',
  }
}

function engineFor({ inputTokens, outputTokens, slots }) {
  return engineModel(
    law(inputTokens, outputTokens),
    { inputTokens, outputTokens },
    { slots, stepTokens: 2048, kvTokens: null },
  )
}

function rehearsalFor({ inputTokens, outputTokens, slots, requests, cv }) {
  const traffic = {
    inputTokens: { distribution: 'normal', mean: inputTokens, stdev: 0 },
    outputTokens: { distribution: 'normal', mean: outputTokens, stdev: outputTokens / 10 },
    arrival: cv === 1 ? { process: 'poisson' } : { process: 'gamma', cv },
    workSigma: 0,
  }
  return drawRehearsal(traffic, { requests, slots }, { noise: silent, seed: 1 })
}

function medianMs(rounds, work) {
  const times = Array.from({ length: rounds }, () => {
    const from = performance.now()
    work()
    return performance.now() - from
  })
  return times.sort((left, right) => left - right)[Math.floor(rounds / 2)]
}

function rateSearch() {
  console.log('lambda_slo by simulation (slow end of a fit: one search)')
  const slo = [
    { metric: 'ttft', percentile: 95, maxMs: 3000 },
    { metric: 'tpot', percentile: 95, maxMs: 80 },
  ]
  let worst = 0
  for (const [inputTokens, cv] of [
    [200, 1],
    [2000, 1],
    [8000, 1],
    [8000, 2],
  ]) {
    const shape = { inputTokens, outputTokens: 300, slots: 86, cv, requests: requestsFor(slo) * cv }
    const ms = medianMs(3, () => promisedSearch(shape, slo))
    worst = Math.max(worst, ms)
    console.log(`  prompts of ${inputTokens}, cv ${cv}: ${ms.toFixed(0)} ms`)
  }
  return worst
}

// As a promise is found: the search, and the longer one where luck would cost too much of the rate.
function promisedSearch(shape, slo) {
  const [rehearsal, engine] = [rehearsalFor(shape), engineFor(shape)]
  const answer = arrivalRateUnderSlo(rehearsal, engine, slo)
  if (answer.kind !== 'found') throw new Error(answer.kind)
  const longer = (times) => rehearsalFor({ ...shape, requests: shape.requests * times })
  return sharpenedRate(answer, { engine, slo, rehearsal, longer })
}

function growth(title, values, shapeOf) {
  console.log(title)
  const base = { inputTokens: 2000, outputTokens: 300, slots: 64, requests: 20_000, cv: 1 }
  let first = null
  for (const value of values) {
    const shape = { ...base, ...shapeOf(value) }
    const engine = engineFor(shape)
    const rehearsal = rehearsalFor(shape)
    const ms = medianMs(5, () => replayAt(rehearsal, engine, 2))
    first ??= ms
    console.log(`  ${value}: ${ms.toFixed(1)} ms (${(ms / first).toFixed(2)} x)`)
  }
}

const sweepLevel = (concurrency) => {
  const point = closedLoopPoint(law(2000, 300), { concurrency, outputTokens: 300 })
  const column = (mean) => ({ mean, p50: mean, p90: mean * 1.05, p95: mean * 1.08, p99: mean * 1.12 })
  const none = { mean: null, p50: null, p90: null, p95: null, p99: null }
  return {
    label: `N=${concurrency}`,
    kind: 'closed-loop',
    concurrency,
    ratePerS: null,
    achievedConcurrency: concurrency,
    requestsPerS: point.requestsPerS,
    outputTokensPerS: point.requestsPerS * 300,
    inputTokens: 2000,
    outputTokens: 300,
    requests: 2000,
    okFraction: 1,
    thinkTimeS: 0,
    ttftMs: column(point.ttftMs),
    tpotMs: column(point.tpotMs),
    gapMs: none,
    e2eMs: column(point.ttftMs + 299 * point.tpotMs),
    batchLimit: null,
    server: null,
    errors: null,
    excluded: null,
  }
}

const question = {
  levels: [1, 2, 4, 8, 16, 32, 64, 128].map(sweepLevel),
  inputTokens: null,
  outputTokens: null,
  experts: null,
  probes: [],
  seed: 1,
  draws: 1000,
  hardware: null,
  slo: [{ metric: 'tpot', percentile: 95, maxMs: 60 }],
  ratesPerS: [],
  demand: peakDemand(100),
  stepTokens: 2048,
  traffic: { inputTokens: null, outputTokens: null, arrival: { process: 'poisson' } },
  purchase: {
    gpusPerReplica: 1,
    gpusPerNode: null,
    failureDomain: 'replica',
    pricePerGpuHour: 2,
    priceDate: null,
    apiPrice: null,
  },
}

function whatIfs() {
  const curve = fitCurve(question)
  const fullFrom = performance.now()
  const answered = answerFromCurve(curve, question)
  const fullMs = performance.now() - fullFrom
  if (answered.fleet === null) throw new Error(`no full answer: ${answered.reasons}`)
  const prepared = prepareWhatIf(curve, question, answered)
  let maxMs = 40
  const ms = medianMs(15, () =>
    whatIf(prepared, { slo: [{ metric: 'tpot', percentile: 95, maxMs: ++maxMs }] }),
  )
  console.log(`what-if with 1,000 draws: ${ms.toFixed(1)} ms (the full answer: ${fullMs.toFixed(0)} ms)`)
  return ms
}

const rateMs = rateSearch()
growth('one replay of 20,000 requests, by batch limit', [16, 64, 256, 1024], (slots) => ({ slots }))
growth('one replay, by number of requests', [5_000, 20_000, 80_000], (requests) => ({ requests }))
growth('one replay of 20,000 requests, by answer length (the rate is kept)', [30, 300], (outputTokens) => ({
  outputTokens,
}))
const whatIfMs = whatIfs()
if (rateMs > RATE_LIMIT_MS || whatIfMs > WHAT_IF_LIMIT_MS) process.exitCode = 1
