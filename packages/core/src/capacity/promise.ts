/**
 * The rate that may be promised. Whoever buys by it must not be let down by the fit's luck, so it is the rate of the
 * slow end of the fit; and where the measured TTFTs were longer than the simulated ones, TTFT promises are judged that
 * much harder. Only a promise that the expected law misses without load is called infeasible; one that merely the slow
 * end misses there is undecided.
 */
import { arrivalRateUnderSlo, firstMissed, nearlyIdle, type RateAnswer, requestsFor } from './arrival-rate.ts'
import {
  isRateInDoubt,
  leastPadded,
  paddedBehindDelay,
  RATE_BETWEEN_LEVELS,
  RATE_EXCESS_MAX,
  rateDoubt,
  rateLevelWanted,
  rateRests,
} from './rate-doubt.ts'
import type { LevelWanted, SloTarget } from './recommendation.ts'
import { type LawCase, type Replica, replicaEngine } from './replica.ts'
import { sharpenedRate } from './sharpened-rate.ts'
import type { EngineModel } from './simulate/engine-model.ts'
import { judgedMs } from './simulate/latencies.ts'
import { drawRehearsal, type Rehearsal, replayAt } from './simulate/rehearsal.ts'
import { type Binding, bindingOrder } from './slo-order.ts'

export interface PromiseAsk {
  readonly slo: readonly SloTarget[]
  /** The batch limit that will be set; null: as measured. */
  readonly slots: number | null
  /** Share of the requests to simulate: 1 for the answer (more where luck matters), less for what stands beside it. */
  readonly effort: number
}

type FoundRate = Extract<RateAnswer, { kind: 'found' }>

/** What a rate rests on, and the level that would tell whether it holds. */
interface Footing {
  readonly caveats: readonly string[]
  readonly levelWanted: LevelWanted | null
}

export type PromisedRate =
  | (FoundRate & Footing)
  | Extract<RateAnswer, { kind: 'below-zero-load' }>
  /** Why no rate can be said: a stable code, with what explains it, and the level that would settle it. */
  | ({ readonly kind: 'undecided'; readonly reason: string } & Footing)

/** The rate that one replica may be promised to take. */
export function promisedRate(replica: Replica, ask: PromiseAsk): PromisedRate {
  const rehearsal = promiseRehearsal(replica, ask)
  const harder = ask.slo.map((target) => tightened(target, replica.calibration.ttftExcess))
  const engine = replicaEngine(replica, 'slow', ask.slots)
  const slow = arrivalRateUnderSlo(rehearsal, engine, harder)
  if (slow.kind === 'found') {
    const found = { replica, engine, rehearsal, slo: harder }
    const doubt = doubtOf(slow, found)
    if (doubt !== null) return doubt
    const longer = (times: number): Rehearsal => promiseRehearsal(replica, { ...ask, effort: times })
    const rate = ask.effort < 1 ? slow : sharpenedRate(slow, { engine, slo: harder, rehearsal, longer })
    const limitedBy = untightened(rate.limitedBy, { harder, slo: ask.slo })
    return { ...rate, limitedBy, ...footingOf(rate, found) }
  }
  const idle = nearlyIdle(rehearsal, replicaEngine(replica, 'expected', ask.slots))
  for (const target of ask.slo) {
    const zeroLoadMs = judgedMs(target, idle.latencies, idle.log) ?? 0
    if (zeroLoadMs > target.maxMs) return { kind: 'below-zero-load', target, zeroLoadMs }
  }
  return { kind: 'undecided', reason: 'slo-undecided', caveats: [], levelWanted: null }
}

/** How a rate was found. */
interface Search {
  readonly replica: Replica
  readonly engine: EngineModel
  readonly rehearsal: Rehearsal
  readonly slo: readonly SloTarget[]
}

// One replay tells whether the rate would hold on a server that pads behind a delay.
function footingOf({ ratePerS, replay }: FoundRate, { replica, engine, rehearsal, slo }: Search): Footing {
  const behindDelay = paddedBehindDelay(replica, engine)
  if (behindDelay === null) return { caveats: [], levelWanted: null }
  const tried = replayAt(rehearsal, replicaEngine(behindDelay, 'slow', engine.slots), ratePerS)
  const eased = slo.map((target) => ({ ...target, maxMs: target.maxMs * RATE_EXCESS_MAX }))
  const missed = firstMissed(eased, tried)
  if (missed === null) return { caveats: [], levelWanted: null }
  const target = slo[eased.indexOf(missed)] ?? missed
  const wanted = rateLevelWanted(behindDelay, engine, replay.decodeBatch)
  const ms = judgedMs(target, tried.latencies, tried.log) ?? 0
  return { caveats: [rateRests({ ratePerS, ms, target }, wanted)], levelWanted: wanted }
}

function doubtOf(
  { ratePerS, replay }: FoundRate,
  { replica, engine, rehearsal, slo }: Search,
): Extract<PromisedRate, { kind: 'undecided' }> | null {
  const plain = leastPadded(replica, engine)
  if (plain === null) return null
  const atBest = arrivalRateUnderSlo(rehearsal, replicaEngine(plain, 'slow', engine.slots), slo)
  if (atBest.kind !== 'found' || !isRateInDoubt(ratePerS, atBest.ratePerS)) return null
  const levelWanted = rateLevelWanted(replica, engine, replay.decodeBatch)
  const caveats = [rateDoubt(ratePerS, atBest.ratePerS, levelWanted)]
  return { kind: 'undecided', reason: RATE_BETWEEN_LEVELS, caveats, levelWanted }
}

/** The rate at another end of the fit, and of the simulation's own luck: the other end of the interval is `fast`. */
export function rateAt(replica: Replica, lawCase: LawCase, ask: PromiseAsk): RateAnswer {
  const ends = { slow: 'upper', expected: 'drawn', fast: 'lower' } as const
  return arrivalRateUnderSlo(
    promiseRehearsal(replica, ask),
    replicaEngine(replica, lawCase, ask.slots),
    ask.slo,
    ends[lawCase],
  )
}

/** The rates at which the SLOs would bind one by one, the first of them at the promised rate. */
export function promiseBindings(
  replica: Replica,
  ask: PromiseAsk,
  promised: { readonly ratePerS: number; readonly limitedBy: SloTarget | null },
): Binding[] {
  const { limitedBy, ratePerS } = promised
  const [only, ...others] = ask.slo
  if (only === undefined) return []
  if (others.length === 0) return [{ target: only, ratePerS, binds: limitedBy !== null }]
  const order = bindingOrder(
    promiseRehearsal(replica, ask),
    replicaEngine(replica, 'slow', ask.slots),
    ask.slo,
  )
  // The search over all of them was the sharper one: what binds first does so at its rate, the others not before.
  return order
    .map((binding) =>
      binding.target === limitedBy
        ? { ...binding, ratePerS }
        : { ...binding, ratePerS: Math.max(binding.ratePerS, ratePerS) },
    )
    .sort((left, right) => left.ratePerS - right.ratePerS || (left.target === limitedBy ? -1 : 1))
}

function promiseRehearsal(replica: Replica, ask: PromiseAsk): Rehearsal {
  return drawRehearsal(
    replica.traffic,
    {
      requests: Math.ceil(requestsFor(ask.slo) * ask.effort * burstiness(replica)),
      slots: ask.slots ?? replica.places.slots,
    },
    { noise: replica.calibration.noise, seed: replica.question.seed },
  )
}

// Bursts come in clumps, and a clump counts little more than one request: as many more are needed.
function burstiness({ traffic }: Replica): number {
  return traffic.arrival.process === 'gamma' ? Math.min(3, Math.max(1, traffic.arrival.cv)) : 1
}

function tightened(target: SloTarget, ttftExcess: number): SloTarget {
  const { metric } = target
  const ofFirstToken = metric === 'ttft' || metric === 'ttftScheduled' || metric === 'firstVisibleToken'
  return ofFirstToken && ttftExcess > 0 ? { ...target, maxMs: target.maxMs / Math.exp(ttftExcess) } : target
}

function untightened(
  limitedBy: SloTarget | null,
  { harder, slo }: { readonly harder: readonly SloTarget[]; readonly slo: readonly SloTarget[] },
): SloTarget | null {
  return limitedBy === null ? null : (slo[harder.indexOf(limitedBy)] ?? null)
}
