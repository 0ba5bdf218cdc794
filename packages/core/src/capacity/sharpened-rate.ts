/**
 * A promised rate, freed from the luck of its simulation. The promise reads each percentile at the upper end of its
 * interval; where the rate follows the percentile steeply (bursts at low utilisation: with its fourth power) a hundredth
 * of luck costs a twentieth of the rate. That price is known: it is the distance to the rate at which the percentile as
 * drawn crosses its limit. Where it is high, the same question is put to a longer simulation.
 */
import { bisectRate, firstMissed, type RateAnswer, UTILISATION_MAX, UTILISATION_MIN } from './arrival-rate.ts'
import type { SloTarget } from './recommendation.ts'
import type { EngineModel } from './simulate/engine-model.ts'
import type { ReadEnd } from './simulate/latencies.ts'
import { type Rehearsal, type Replay, replayAt } from './simulate/rehearsal.ts'

type FoundRate = Extract<RateAnswer, { kind: 'found' }>

/** What the luck of a simulation may cost of a promised rate. */
const LUCK_MAX_FRACTION = 0.02
/** At most so many times the requests: the price falls with their root. */
const LONGER_MAX = 8
/** Relative width at which the searches stop. */
const RESOLUTION_FRACTION = 0.01
/** The first search for an end of the bracket goes in steps of this factor; the longer one by what luck cost. */
const WIDENING = 1.15

export interface Sharpening {
  readonly engine: EngineModel
  readonly slo: readonly SloTarget[]
  readonly rehearsal: Rehearsal
  /** Draws a rehearsal of so many times the requests. */
  readonly longer: (times: number) => Rehearsal
}

/** The found rate, or that of a longer simulation where luck made it too low. */
export function sharpenedRate(found: FoundRate, sharpening: Sharpening): FoundRate {
  const drawn = crossingNear(found, sharpening, { end: 'drawn', widening: WIDENING })
  const priceFraction = drawn.ratePerS / found.ratePerS - 1
  if (priceFraction <= LUCK_MAX_FRACTION) return found
  const times = Math.min(LONGER_MAX, Math.ceil((priceFraction / LUCK_MAX_FRACTION) ** 2))
  const longer = { ...sharpening, rehearsal: sharpening.longer(times) }
  return crossingNear(found, longer, { end: 'upper', widening: 1 + priceFraction })
}

/** The largest rate at which nothing is missed, looked for around one that was found in another way. */
function crossingNear(
  found: FoundRate,
  { engine, slo, rehearsal }: Sharpening,
  { end, widening }: { readonly end: ReadEnd; readonly widening: number },
): FoundRate {
  const replay = (ratePerS: number): Replay => replayAt(rehearsal, engine, ratePerS)
  const missedIn = (tried: Replay): SloTarget | null => firstMissed(slo, tried, end)
  const tryAt = (ratePerS: number): TriedRate => {
    const tried = replay(ratePerS)
    return { ratePerS, replay: tried, missed: missedIn(tried) }
  }
  const idlePerS = found.capacityPerS * UTILISATION_MIN
  const topPerS = found.capacityPerS * UTILISATION_MAX
  let kept = tryAt(found.ratePerS)
  let over: TriedRate | null = null
  // The longer simulation is the better judge: it may also take back what the shorter one gave.
  while (kept.missed !== null && kept.ratePerS > idlePerS) {
    over = kept
    kept = tryAt(kept.ratePerS / widening)
  }
  while (over === null && kept.ratePerS < topPerS) {
    const next = tryAt(Math.min(topPerS, kept.ratePerS * widening))
    if (next.missed === null) kept = next
    else over = next
  }
  const best = { ratePerS: kept.ratePerS, replay: kept.replay }
  if (over === null || over.missed === null) return { ...found, ...best, limitedBy: null }
  const bracket = { kept: best, missedPerS: over.ratePerS, limitedBy: over.missed }
  return { ...found, ...bisectRate(replay, missedIn, bracket, RESOLUTION_FRACTION * best.ratePerS) }
}

interface TriedRate {
  readonly ratePerS: number
  readonly replay: Replay
  readonly missed: SloTarget | null
}
