/**
 * What the law implies for a closed loop without think time, exactly, where algebra reaches.
 *
 * N clients keep m = min(N, cap) sequences in the engine. Each takes part in every step from its admission to its end:
 * one prefill step and O - 1 decode steps. Seen at a random step, a sequence is therefore decoding with probability
 * q = (O - 1) / O and prefilling with 1/O, independently of the others once their answers have different lengths. With
 * g(b) the decode part of a step, k*z the cost of one sequence's context and P the prefill of a prompt, the mean step is
 *
 *     S = E[g(B)] + m * (q*k*z + P/O),      B ~ Binomial(m, q)
 *
 * and since O steps serve m requests, X = m / (O * S). A sequence's own steps see the other m - 1:
 *
 *     TPOT = E[g(1 + B')] + k*z + (m - 1) * (q*k*z + P/O),      TTFT = E[g(B')] + P + (m - 1) * (q*k*z + P/O)
 *
 * with B' ~ Binomial(m - 1, q). Beyond the cap, clients queue and Little's law gives TTFT = N/X - (O - 1) * TPOT.
 *
 * No such form exists for hiccups, for answers with heavy tails, where KV blocks run out, and where prompts have to
 * share a step's token budget; `closedLoopTruth` then runs the engine.
 */

import type { Workload } from '../engine/virtual-run.ts'
import { decodeStepMs, prefillChunkMs, type ServerLaw } from '../model/law.ts'
import { lengthMoments, longestLength } from '../model/lengths.ts'

export interface ClosedLoopMeans {
  readonly requestsPerS: number
  readonly outputTokensPerS: number
  readonly ttftMs: number
  /** Mean over requests; null when answers have one token. */
  readonly tpotMs: number | null
  /** Time average of sequences between their first and last token: X * (E2E - TTFT). */
  readonly decodeBatch: number
}

export interface ClosedLoopSetting {
  readonly law: ServerLaw
  readonly workload: Workload
  readonly concurrency: number
}

/** A step budget that overflows more rarely than this does not move a mean by a thousandth. */
const OVERFLOW_PROBABILITY_MAX = 1e-3

/** Means of a closed loop, or null where no closed form holds. */
export function closedForm({ law, workload, concurrency }: ClosedLoopSetting): ClosedLoopMeans | null {
  const input = lengthMoments(workload.inputTokens)
  const output = lengthMoments(workload.outputTokens)
  const running = Math.min(concurrency, law.maxNumSeqs)
  if (input === null || output === null || law.hiccup !== null) return null
  if (!blocksAlwaysSuffice(law, workload, running) || !promptsFitSteps(law, workload, running)) return null
  const decodingShare = (output.mean - 1) / output.mean
  const prefillMs =
    prefillChunkMs(law, { from: 0, to: input.mean, first: true }) +
    law.prefill.perTokenSquaredMs * (input.meanSquare - input.mean ** 2)
  // Token j of an answer, j >= 2, is computed over I + j - 2 tokens of context; long answers have more such steps.
  const contextSum = (output.meanSquare - 3 * output.mean + 2) / 2
  const stepContext = input.mean + (output.mean > 1 ? contextSum / (output.mean - 1) : 0)
  const ownContext = input.mean + (output.mean - 2) / 2
  const perOtherMs = decodingShare * law.perContextTokenMs * stepContext + prefillMs / output.mean
  const othersMs = (running - 1) * perOtherMs
  const stepMs = meanDecodeMs(law, running, decodingShare, 0) + running * perOtherMs
  const ownDecodeMs = meanDecodeMs(law, running - 1, decodingShare, 1) + othersMs
  const tpotMs = ownDecodeMs + law.perContextTokenMs * ownContext
  const decodeMs = (output.mean - 1) * (ownDecodeMs + law.perContextTokenMs * stepContext)
  const requestsPerMs = running / (output.mean * stepMs)
  const ttftMs =
    concurrency <= law.maxNumSeqs
      ? meanDecodeMs(law, running - 1, decodingShare, 0) + prefillMs + othersMs
      : concurrency / requestsPerMs - decodeMs
  return {
    requestsPerS: 1000 * requestsPerMs,
    outputTokensPerS: 1000 * requestsPerMs * output.mean,
    ttftMs,
    tpotMs: output.mean > 1 ? tpotMs : null,
    decodeBatch: requestsPerMs * decodeMs,
  }
}

/** E[g(offset + B)], B ~ Binomial(count, probability); the context's cost is left out. */
function meanDecodeMs(law: ServerLaw, count: number, probability: number, offset: number): number {
  let sum = 0
  for (const [batch, weight] of binomialWeights(count, probability).entries()) {
    if (weight > 0) sum += weight * decodeStepMs(law, batch + offset, 0)
  }
  return sum
}

/** P(B = 0), ..., P(B = count), through logarithms so that large counts do not underflow. */
function binomialWeights(count: number, probability: number): number[] {
  if (probability === 0 || count === 0) return [1]
  let logChoose = 0
  const weights: number[] = []
  for (let b = 0; b <= count; b++) {
    if (b > 0) logChoose += Math.log((count - b + 1) / b)
    weights.push(Math.exp(logChoose + b * Math.log(probability) + (count - b) * Math.log1p(-probability)))
  }
  return weights
}

function blocksAlwaysSuffice(law: ServerLaw, workload: Workload, running: number): boolean {
  if (law.kv === null) return true
  const tokens = longestLength(workload.inputTokens) + longestLength(workload.outputTokens) - 1
  return running * Math.ceil(tokens / law.kv.blockTokens) <= law.kv.blocks
}

function promptsFitSteps(law: ServerLaw, workload: Workload, running: number): boolean {
  const output = lengthMoments(workload.outputTokens)
  if (law.maxNumBatchedTokens === null || output === null) return law.maxNumBatchedTokens === null
  const together = Math.floor((law.maxNumBatchedTokens - running) / longestLength(workload.inputTokens))
  const weights = binomialWeights(running, 1 / output.mean)
  const overflow = weights.slice(together + 1).reduce((sum, weight) => sum + weight, 0)
  return together >= 1 && overflow < OVERFLOW_PROBABILITY_MAX
}
