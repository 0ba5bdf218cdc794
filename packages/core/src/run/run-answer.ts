/** The answer of a run: its question answered, with what only a run knows: whether the server drifted meanwhile. */
import { answerCapacity } from '../capacity/capacity-answer.ts'
import type { Recommendation } from '../capacity/recommendation.ts'
import { driftOf } from './drift.ts'
import { questionOfRun, type RunFacts } from './run-question.ts'

/** Fits the steps of a run and answers. Takes some seconds: most of it is simulation. */
export function answerRun(facts: RunFacts): Recommendation {
  const recommendation = answerCapacity(questionOfRun(facts))
  if (driftOf(facts.attempts)?.isDrifting !== true) return recommendation
  return { ...recommendation, caveats: [...new Set([...recommendation.caveats, 'server-drifted'])] }
}
