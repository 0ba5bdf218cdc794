/**
 * The answer of a run: its question answered, with what only a run knows: how well the fit foretold the level that was
 * kept from it, and whether the server drifted meanwhile.
 */
import { answerFromCurve } from '../capacity/capacity-answer.ts'
import type { FitLevelReport, ProfileAnswer, Recommendation } from '../capacity/recommendation.ts'
import { closedLoopPoint } from '../fit/closed-loop.ts'
import { fitCurve } from '../fit/curve.ts'
import { HELD_OUT } from '../fit/gates.ts'
import type { CurveLaw } from '../fit/law.ts'
import type { Level } from '../fit/level.ts'
import { driftOf } from './drift.ts'
import { questionOfRun, type RunFacts } from './run-question.ts'

/** Fits the steps of a run and answers. Takes some seconds: most of it is simulation. */
export function answerRun(facts: RunFacts): Recommendation {
  const question = questionOfRun(facts)
  const curve = fitCurve(question)
  const answer = withoutHeldOutReason(answerFromCurve(curve, question))
  const drifted = driftOf(facts.attempts)?.isDrifting === true ? ['server-drifted'] : []
  const caveats = [...new Set([...answer.caveats, ...drifted])]
  return { ...answer, caveats, fit: withHeldOut(answer.fit, question.levels, curve.fitted) }
}

/** The held-out levels with what the law of the others says about them. */
function withHeldOut(
  fit: Recommendation['fit'],
  levels: readonly Level[],
  fitted: CurveLaw | null,
): Recommendation['fit'] {
  if (fit === null || fitted === null) return fit
  const heldOut = new Map(levels.filter(isHeldOut).map((level) => [level.label, level]))
  const told = (row: FitLevelReport): FitLevelReport => {
    const level = heldOut.get(row.label)
    return level === undefined ? row : { ...row, ...foretold(level, fitted) }
  }
  return { ...fit, levels: fit.levels.map(told) }
}

function foretold(level: Level, fitted: CurveLaw): Partial<FitLevelReport> {
  const outputTokens = level.outputTokens ?? fitted.outputTokens
  if (level.concurrency === null || !(outputTokens > 1)) return {}
  const { concurrency, thinkTimeS } = level
  const point = closedLoopPoint(fitted.law, { concurrency, outputTokens, thinkTimeMs: thinkTimeS * 1000 })
  return {
    predictedTpotMs: point.tpotMs,
    predictedTtftMs: point.ttftMs,
    predictedRequestsPerS: point.requestsPerS,
  }
}

// It was kept out on purpose: that explains nothing about the verdict.
function withoutHeldOutReason(answer: Recommendation): Recommendation {
  const without = <Part extends { readonly reasons: readonly string[] }>(part: Part): Part => ({
    ...part,
    reasons: part.reasons.filter((reason) => reason !== HELD_OUT),
  })
  const profile = (part: ProfileAnswer | null) => (part === null ? null : without(part))
  const { interactive, batch, agentic, api } = answer.profiles
  const profiles = {
    interactive: profile(interactive),
    batch: profile(batch),
    agentic: profile(agentic),
    api: profile(api),
  }
  return { ...without(answer), profiles }
}

function isHeldOut({ excluded }: Level): boolean {
  return excluded === HELD_OUT
}
