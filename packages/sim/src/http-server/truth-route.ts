/**
 * `GET /sim/truth`: the law, and what follows from it for a workload. The query may say `concurrency=1,8,64`,
 * `inputTokens=`, `outputTokens=`, `arrivalCv=` and any number of `slo=ttft:p95<800`.
 *
 * Where no closed form exists the engine runs in virtual time, on the thread that serves requests. That would make the
 * server late, so with requests open such a question is refused.
 */
import type { Workload } from '../engine/virtual-run.ts'
import type { ServerLaw } from '../model/law.ts'
import { PRESETS } from '../presets/presets.ts'
import { closedForm } from '../truth/closed-form.ts'
import { closedLoopTruth, largestBatchWithin } from '../truth/closed-loop-truth.ts'
import { type Objective, sustainableRate } from '../truth/sustainable-rate.ts'
import { badRequest, sendError, sendJson } from './api-error.ts'
import type { Visit } from './routes.ts'
import type { Simulation } from './simulation.ts'

interface TruthQuestion {
  readonly concurrency: readonly number[]
  readonly inputTokens: number
  readonly outputTokens: number
  readonly arrivalCv: number
  readonly objectives: readonly Objective[]
}

const LEVELS_MAX = 20
const RATE_REQUESTS = 4000
const RATE_SEEDS = [1, 2]

export function truthAnswer(simulation: Simulation, { response, url }: Visit): void {
  const law = { ...simulation.options.law, maxNumSeqs: simulation.engine.maxNumSeqs }
  const question = readQuestion(url.searchParams, simulation, law)
  if (typeof question === 'string') {
    sendError(response, badRequest(question))
    return
  }
  const workload = workloadOf(question)
  const runs = question.objectives.length > 0 || needsEngine(law, workload, question)
  if (runs && simulation.openRequests > 0) {
    const message = 'This needs a virtual run, which would delay the open requests: ask when there are none.'
    sendError(response, { status: 409, type: 'ConflictError', message, param: null })
    return
  }
  sendJson(response, truthOf(simulation, law, question))
}

function truthOf(simulation: Simulation, law: ServerLaw, question: TruthQuestion): unknown {
  const workload = workloadOf(question)
  const levels = question.concurrency.map((concurrency) => ({
    concurrency,
    ...closedLoopTruth({ law, workload, concurrency }),
  }))
  return {
    preset: simulation.options.preset,
    speed: simulation.options.speed,
    seed: simulation.options.seed,
    law,
    workload,
    closedLoop: levels,
    saturated: closedLoopTruth({ law, workload, concurrency: 4 * law.maxNumSeqs }),
    openLoop: question.objectives.length === 0 ? null : openLoopTruth(law, workload, question),
  }
}

function openLoopTruth(
  law: ServerLaw,
  workload: Workload,
  { objectives, arrivalCv }: TruthQuestion,
): unknown {
  const found = sustainableRate({
    law,
    workload,
    arrivalCv,
    objectives,
    requests: RATE_REQUESTS,
    seeds: RATE_SEEDS,
    toleranceFraction: 0.005,
  })
  const meanTpot = objectives.find(({ metric, percentile }) => metric === 'tpot' && percentile === 'mean')
  const largest =
    meanTpot === undefined
      ? null
      : largestBatchWithin({ law, workload }, { tpotMaxMs: meanTpot.maxMs, batchMax: 4 * law.maxNumSeqs })
  return { objectives, arrivalCv, ...found, largestBatchForMeanTpot: largest }
}

function needsEngine(law: ServerLaw, workload: Workload, { concurrency }: TruthQuestion): boolean {
  return [...concurrency, 4 * law.maxNumSeqs].some(
    (level) => closedForm({ law, workload, concurrency: level }) === null,
  )
}

/** Answers differ by a fifth, so that clients do not stay in lockstep. */
function workloadOf({ inputTokens, outputTokens }: TruthQuestion): Workload {
  const half = Math.floor(outputTokens / 5)
  return {
    inputTokens: { kind: 'fixed', tokens: inputTokens },
    outputTokens: { kind: 'uniform', min: outputTokens - half, max: outputTokens + half },
  }
}

/** The question, or what is wrong with it. */
function readQuestion(
  query: URLSearchParams,
  { options }: Simulation,
  law: ServerLaw,
): TruthQuestion | string {
  const preset = PRESETS[options.preset]
  const listed = query.get('concurrency')
  const concurrency = listed === null ? doublings(2 * law.maxNumSeqs) : listed.split(',').map(Number)
  const inputTokens = Number(query.get('inputTokens') ?? preset.typicalInputTokens)
  const outputTokens = Number(query.get('outputTokens') ?? preset.typicalOutputTokens)
  const arrivalCv = Number(query.get('arrivalCv') ?? 1)
  const counts = [...concurrency, inputTokens, outputTokens]
  if (!counts.every((value) => Number.isInteger(value) && value >= 1 && value <= 1_000_000)) {
    return 'concurrency, inputTokens and outputTokens must be whole numbers >= 1'
  }
  if (concurrency.length > LEVELS_MAX) return `at most ${LEVELS_MAX} values of concurrency`
  if (inputTokens + outputTokens > options.maxModelTokens)
    return `at most ${options.maxModelTokens} tokens in all`
  if (!(arrivalCv >= 0 && arrivalCv <= 10)) return 'arrivalCv must be from 0 to 10'
  const objectives = query.getAll('slo').map(readObjective)
  const wrong = query.getAll('slo').find((_, index) => objectives[index] === null)
  if (wrong !== undefined)
    return `slo must look like ttft:p95<800 or tpot:mean<40, got ${JSON.stringify(wrong)}`
  return {
    concurrency,
    inputTokens,
    outputTokens,
    arrivalCv,
    objectives: objectives.filter((entry) => entry !== null),
  }
}

function readObjective(text: string): Objective | null {
  const match = /^(ttft|tpot|e2e):(?:p(\d+(?:\.\d+)?)|mean)<(\d+(?:\.\d+)?)$/.exec(text)
  if (match === null) return null
  const percentile = match[2] === undefined ? 'mean' : Number(match[2])
  if (percentile !== 'mean' && percentile > 100) return null
  return { metric: match[1] as Objective['metric'], percentile, maxMs: Number(match[3]) }
}

function doublings(max: number): number[] {
  const levels: number[] = []
  for (let level = 1; level <= max; level *= 2) levels.push(level)
  return levels
}
