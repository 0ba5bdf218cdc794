/**
 * Whether a promised rate hangs on step times that no level shows. The promise is that of the slowest server that the
 * levels leave possible. Where the curve itself, unpadded, would take clearly more, the rate cannot be said within what
 * a rate here may be off: then a level is missing, and it is said which.
 */

import { levelAt, withNext } from './padded-batch.ts'
import type { PaddedSteps } from './padding.ts'
import type { LevelWanted, SloTarget } from './recommendation.ts'
import type { Replica } from './replica.ts'
import type { EngineModel } from './simulate/engine-model.ts'
import { sloInWords } from './slo-order.ts'
import { tellingBatch } from './telling-level.ts'

export const RATE_BETWEEN_LEVELS = 'rate-between-levels'

/** A slower server that takes at least this share of the rate does not matter. */
const RATE_MIN_FRACTION = 0.92
/** Share of a step below which it is not in doubt. */
const DOUBT_MIN_FRACTION = 0.01

/** The same replica if its server pads as little as the levels allow; null where nothing is in doubt. */
export function leastPadded(replica: Replica, engine: EngineModel): Replica | null {
  const { paddedSteps, ...question } = replica.question
  if (paddedSteps === undefined || !batchesOf(engine).some(isInDoubt(replica, engine))) return null
  return { ...replica, question: { ...question, paddedSteps: atBest(paddedSteps) } }
}

function atBest({ leastMs, certain }: PaddedSteps): PaddedSteps {
  return {
    leastMs,
    mostMs: leastMs,
    certain: certain === null ? null : { ...certain, mostMs: certain.leastMs },
  }
}

/** True when the least padded server would take clearly more. */
export function isRateInDoubt(ratePerS: number, leastPaddedPerS: number): boolean {
  return ratePerS < RATE_MIN_FRACTION * leastPaddedPerS
}

/** A rate that holds only if the TTFT is prefill. */
export const RATE_RESTS = 'rate-rests-on-ttft'
/** By so much a promise may be exceeded where the server is not what it was taken for. */
export const RATE_EXCESS_MAX = 1.03

/** The same replica if its TTFT holds a delay, and its steps the less prefill to leave unpadded; null: it is no slower. */
export function paddedBehindDelay(replica: Replica, engine: EngineModel): Replica | null {
  const { paddedSteps, paddedBehindDelay: slower } = replica.question
  if (paddedSteps === undefined || slower === undefined) return null
  const isSlower = batchesOf(engine).some(
    (batch) =>
      slower.mostMs(batch) - paddedSteps.mostMs(batch) >
      DOUBT_MIN_FRACTION * (engine.decodeMs[batch] as number),
  )
  return isSlower ? { ...replica, question: { ...replica.question, paddedSteps: slower } } : null
}

/** What a rate would do to a promise behind a delay. */
export function rateRests(
  at: { readonly ratePerS: number; readonly ms: number; readonly target: SloTarget },
  wanted: LevelWanted | null,
): string {
  const { ratePerS, ms, target } = at
  const rests =
    'the TTFT is taken for prefill; if part of it is a delay, a server that pads runs ' +
    `${ratePerS.toPrecision(3)} requests/s in ${ms.toFixed(1)} ms, promised ${sloInWords(target)}`
  return withNext(RATE_RESTS, rests, wanted)
}

export function rateDoubt(ratePerS: number, leastPaddedPerS: number, wanted: LevelWanted | null): string {
  const doubt =
    `a replica takes ${ratePerS.toPrecision(3)} requests/s if its server pads the batch between the levels, ` +
    `and ${leastPaddedPerS.toPrecision(3)} if it does not`
  return withNext(RATE_BETWEEN_LEVELS, doubt, wanted)
}

/** The level that tells most about the batches in doubt, from about the one at which the replica would run. */
export function rateLevelWanted(
  replica: Replica,
  engine: EngineModel,
  decodeBatch: number,
): LevelWanted | null {
  const inDoubt = batchesOf(engine).filter(isInDoubt(replica, engine))
  const first = inDoubt.find((batch) => batch >= decodeBatch) ?? inDoubt.at(-1) ?? 1
  let lowest = first
  let highest = first
  while (inDoubt.includes(lowest - 1)) lowest--
  while (inDoubt.includes(highest + 1)) highest++
  const { fitted, levels } = replica.question
  const batch = tellingBatch(differenceFraction(replica, engine), { lowest, highest, near: first })
  return levelAt(fitted, { batch, levels })
}

function isInDoubt(replica: Replica, engine: EngineModel): (batch: number) => boolean {
  const differs = differenceFraction(replica, engine)
  return (batch) => differs(batch) > DOUBT_MIN_FRACTION
}

function differenceFraction({ question }: Replica, engine: EngineModel): (batch: number) => number {
  const { paddedSteps } = question
  if (paddedSteps === undefined) return () => 0
  const { leastMs, mostMs } = paddedSteps
  return (batch) => (mostMs(batch) - leastMs(batch)) / (engine.decodeMs[batch] as number)
}

function batchesOf({ slots }: EngineModel): number[] {
  return Array.from({ length: slots }, (_, index) => index + 1)
}
