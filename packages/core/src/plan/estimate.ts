/**
 * What a plan will cost before it is run: steps, requests, tokens, minutes. The server's speed is not known yet, so
 * the answer rests on assumed latencies and says so: a request of O output tokens is taken to last
 * TTFT + (O - 1)*TPOT, with TTFT and TPOT at the plan's own limits, or at `ASSUMED` where it promises none.
 */
import { countLevels } from './least-work.ts'
import type { Plan } from './schema.ts'

export interface PlanEstimate {
  readonly steps: number
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly minutes: number
  /** Budgets that the estimate exceeds: the run would stop early. */
  readonly exceeds: readonly ('maxRequests' | 'maxOutputTokens' | 'maxDurationS')[]
  /** What the figures rest on, in sentences. */
  readonly assumptions: readonly string[]
}

/** Latency that is assumed where the plan promises none, ms: a mid-sized model under moderate load. */
const ASSUMED = { ttftMs: 500, tpotMs: 30 }
const DATASET_TOKENS = 256

/** The estimate of a resolved plan. Extensions of steps are not in it. */
export function estimatePlan(plan: Plan): PlanEstimate {
  const residenceS = assumedResidenceS(plan)
  const levels = levelsOf(plan)
  const steps = levels.map((level) => stepEstimate(plan, level, residenceS))
  const durationS = sum(steps.map((step) => step.durationS))
  const requests = Math.ceil(sum(steps.map((step) => step.requests)))
  const outputTokens = Math.ceil(requests * outputMean(plan))
  const { limits, workload } = plan
  const over = [
    { key: 'maxRequests', exceeded: requests > limits.maxRequests },
    { key: 'maxOutputTokens', exceeded: outputTokens > limits.maxOutputTokens },
    { key: 'maxDurationS', exceeded: durationS > limits.maxDurationS },
  ] as const
  return {
    steps: levels.length,
    requests,
    inputTokens: Math.ceil(
      requests * (workload.dataset === null ? workload.inputTokens.mean : DATASET_TOKENS),
    ),
    outputTokens,
    minutes: Math.round((durationS / 60) * 10) / 10,
    exceeds: over.filter(({ exceeded }) => exceeded).map(({ key }) => key),
    assumptions: assumptionsOf(plan, residenceS),
  }
}

type AssumedLevel = { readonly concurrency: number } | { readonly ratePerS: number }

function levelsOf(plan: Plan): AssumedLevel[] {
  const { sweep } = plan
  const batches = sweep.batch.control === 'none' ? 1 : Math.max(1, sweep.batch.levels.length)
  const found = sweep.mode === 'grid' ? sweep.concurrency : adaptiveLevels(plan)
  const once: AssumedLevel[] = [
    ...found.map((concurrency) => ({ concurrency })),
    ...sweep.ratesPerS.map((ratePerS) => ({ ratePerS })),
  ]
  const swept = Array.from({ length: batches }, () => once).flat()
  const middle = once[Math.floor(once.length / 2)]
  const extra = middle === undefined ? [] : new Array<AssumedLevel>(countLevels(plan).extra).fill(middle)
  return [...swept, ...extra]
}

// As if the search had to double up to its bound; it usually ends earlier.
function adaptiveLevels({ sweep: { adaptive } }: Plan): number[] {
  const doublings = Math.floor(Math.log2(adaptive.concurrencyMax / adaptive.start)) + 1
  const doubled = Array.from({ length: doublings }, (_, index) => adaptive.start * 2 ** index)
  return [...doubled, ...new Array<number>(adaptive.refineLevels).fill(doubled.at(-1) ?? adaptive.start)]
}

function stepEstimate(
  plan: Plan,
  level: AssumedLevel,
  residenceS: number,
): { requests: number; durationS: number } {
  const { step } = plan.sweep
  const cycleS = residenceS + plan.workload.thinkTimeS
  const ratePerS = 'concurrency' in level ? level.concurrency / cycleS : level.ratePerS
  const wantedS = Math.max(step.minDurationS, step.residences * residenceS, step.minRequests / ratePerS)
  const windowS = Math.min(wantedS, step.maxDurationS)
  const warmupS = Math.min(step.warmupResidences * residenceS, step.maxWarmupS)
  const tailS = Math.min(residenceS, step.drainLimitS)
  const durationS = warmupS + windowS + tailS
  return { requests: ratePerS * durationS, durationS }
}

function assumedResidenceS(plan: Plan): number {
  const limits = latencyLimits(plan)
  const byTokensMs = limits.ttftMs + (outputMean(plan) - 1) * limits.tpotMs
  return Math.min(byTokensMs, limits.e2eMs ?? Number.POSITIVE_INFINITY) / 1_000
}

function latencyLimits({ slo }: Plan): { ttftMs: number; tpotMs: number; e2eMs: number | null } {
  const limit = (...metrics: string[]) => slo.find(({ metric }) => metrics.includes(metric))?.maxMs
  return {
    ttftMs: limit('ttft', 'ttftScheduled') ?? ASSUMED.ttftMs,
    tpotMs: limit('tpot') ?? ASSUMED.tpotMs,
    e2eMs: limit('e2e') ?? null,
  }
}

function outputMean({ workload }: Plan): number {
  return workload.dataset === null ? workload.outputTokens.mean : DATASET_TOKENS
}

function assumptionsOf(plan: Plan, residenceS: number): string[] {
  const { ttftMs, tpotMs } = latencyLimits(plan)
  const said = [
    `A request is taken to last ${residenceS.toFixed(1)} s (TTFT ${ttftMs} ms, TPOT ${tpotMs} ms); a faster server sends more requests in the same time`,
    'Every step is taken at its shortest; steps are extended while their verdicts are undecided',
  ]
  if (plan.sweep.furtherLevels > 0) {
    const most = plan.sweep.furtherLevels === 1 ? 'One level' : `Up to ${plan.sweep.furtherLevels} levels`
    said.push(`${most} that the answer may find missing (furtherLevels) would come on top`)
  }
  if (plan.sweep.mode === 'adaptive') said.push('The adaptive search is taken to double up to concurrencyMax')
  if (plan.workload.dataset !== null)
    said.push(`Lengths of the data set are taken as ${DATASET_TOKENS} tokens each way`)
  if (plan.sweep.batch.control === 'server')
    said.push('The time that the server needs to restart is not counted')
  return said
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
