/**
 * The four profiles' answers from one curve: what the same server would be good for if the traffic were interactive,
 * an API, agents or batch. Only the promises differ; the lengths are those that were measured.
 */
import type { CurveFit } from '../fit/curve.ts'
import { PROFILES, type ProfileName } from '../slo/profiles.ts'
import { BESIDE_EFFORT, misfit } from './open-loop.ts'
import { promisedRate } from './promise.ts'
import { type RecommendInput, recommendFromCurve } from './recommend.ts'
import type { ProfileAnswer, Recommendation } from './recommendation.ts'
import type { Replica } from './replica.ts'

/** Answers for all profiles; each has its own verdict. */
export function profileAnswers(
  curve: CurveFit,
  input: RecommendInput,
  replica: Replica,
): Recommendation['profiles'] {
  const answer = (name: ProfileName): ProfileAnswer =>
    profileAnswer(curve, { ...input, slo: PROFILES[name].slo }, replica)
  return {
    interactive: answer('interactive'),
    batch: answer('batch'),
    agentic: answer('agentic'),
    api: answer('api'),
  }
}

function profileAnswer(curve: CurveFit, input: RecommendInput, replica: Replica): ProfileAnswer {
  const { slo } = input
  const { verdict, reasons, batch } = recommendFromCurve(curve, input)
  const nothing = { slo, batch: null, requestsPerS: null, outputTokensPerS: null }
  if (batch.recommended === null) return { ...nothing, verdict, reasons }
  const refusal = misfit(replica)
  if (refusal !== null) return { ...nothing, verdict: 'inconclusive', reasons: [...reasons, refusal] }
  const rate = promisedRate(replica, { slo, slots: batch.recommended, effort: BESIDE_EFFORT })
  if (rate.kind === 'below-zero-load') {
    return { ...nothing, verdict: 'infeasible', reasons: [...reasons, 'slo-below-zero-load'] }
  }
  if (rate.kind === 'undecided') {
    return { ...nothing, verdict: 'inconclusive', reasons: [...reasons, rate.reason] }
  }
  const outputTokens = replica.question.fitted.outputTokens
  return {
    slo,
    verdict,
    reasons,
    batch: batch.recommended,
    requestsPerS: rate.ratePerS,
    outputTokensPerS: rate.ratePerS * outputTokens,
  }
}
