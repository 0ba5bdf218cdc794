/**
 * The batch to set where a sweep cannot tell what happens between two of its levels. Every padding that the levels leave
 * possible is a server that may be the measured one, and the batch must be good on each of them:
 *
 *   promises     kept with the batch full, or exceeded by no more than anything else here may be wrong
 *   throughput   at least nine tenths of the best batch that keeps them on that server
 *
 * The batch that the curve gives stays where it is good everywhere; else the largest smaller one that is takes its place;
 * and where there is none, the sweep is too coarse to be answered. A curve through a server that certainly pads is only
 * roughly right: then the largest batch that keeps the promises on one of the servers takes the curve's part.
 */
import type { BatchRange } from './batch.ts'
import { mayBeUnpadded, type Padding } from './padding.ts'
import type { SloLimit } from './slo-limits.ts'
import { sloInWords } from './slo-order.ts'

export const BETWEEN_LEVELS = 'batch-between-levels'

const EXCESS_MAX_FRACTION = 0.03
const THROUGHPUT_MIN_FRACTION = 0.9

export interface PaddedQuestion {
  /** The batch that the curve gives. */
  readonly batch: number
  readonly paddings: readonly Padding[]
  readonly limits: readonly SloLimit[]
  readonly range: BatchRange
}

export interface PaddedBatch {
  /** Null: no batch is good on every server that the levels leave possible. */
  readonly recommended: number | null
  /** The largest batch that may be the right one on a server that certainly pads, within what its steps may be off. */
  readonly highest: number
  /** Which larger one was to be recommended, and why it is not; null: none was. */
  readonly doubt: { readonly batch: number; readonly inWords: string } | null
}

/** The curve's batch, or the largest smaller one, that is good under every padding. */
export function batchUnderPadding(question: PaddedQuestion): PaddedBatch {
  const judges = question.paddings.map((padding) => judgeOf(padding, question))
  const largest = mayBeUnpadded(question.paddings)
    ? question.batch
    : Math.max(...judges.map((judge) => judge.largest))
  const highest = Math.max(...judges.map((judge) => judge.highest))
  const doubter = judges.find((judge) => !judge.isGood(largest))
  if (doubter === undefined) return { recommended: largest, highest, doubt: null }
  const inWords = `the levels leave it open whether the server pads its batch and runs ${doubter.cost(largest)}`
  const doubt = { batch: largest, inWords }
  for (let batch = largest - 1; batch >= 1; batch--) {
    if (judges.every((judge) => judge.isGood(batch))) return { recommended: batch, highest, doubt }
  }
  const safe = Array.from({ length: largest }, (_, less) => largest - less).find((batch) =>
    judges.every((judge) => judge.isKept(batch)),
  )
  const kept = safe === undefined ? '' : `; ${safe} keeps the promises either way, with less throughput`
  return { recommended: null, highest, doubt: { batch: largest, inWords: inWords + kept } }
}

/** What a batch costs on the server that it is not good on, and the size as which it then runs; null: on none. */
export function badUnderPadding(question: PaddedQuestion): string | null {
  const judges = question.paddings.map((padding) => judgeOf(padding, question))
  const doubter = judges.find((judge) => !judge.isGood(question.batch))
  return doubter === undefined ? null : doubter.cost(question.batch)
}

interface Judge {
  /** The largest batch that keeps the promises; the curve's where nothing promised binds the batch. */
  readonly largest: number
  /** The largest that exceeds them by no more than is allowed. */
  readonly highest: number
  /** Keeps the promises; and good when its throughput is near the best as well. */
  readonly isKept: (batch: number) => boolean
  readonly isGood: (batch: number) => boolean
  /** As in "83 as slowly as 128, in 12.1 ms, promised ...". */
  readonly cost: (batch: number) => string
}

function judgeOf(padding: Padding, question: PaddedQuestion): Judge {
  const throughput = (batch: number): number => batch / padding.typicalMs(batch)
  const kept = rivals(padding, question, 0)
  const best = Math.max(0, ...kept.map(throughput))
  // The curve's batch is cautious already; what takes its place is not.
  const tolerance = mayBeUnpadded(question.paddings) ? EXCESS_MAX_FRACTION : EXCESS_MAX_FRACTION / 2
  const isKept = (batch: number): boolean => broken(padding, question, { batch, tolerance }) === null
  const isGood = (batch: number): boolean =>
    isKept(batch) && throughput(batch) >= THROUGHPUT_MIN_FRACTION * best
  const cost = (batch: number): string => {
    const size = padding.sizes.find((each) => each >= batch) ?? batch
    const excess = broken(padding, question, { batch, tolerance })
    const lostPercent = Math.round(100 * (1 - throughput(batch) / best))
    const price =
      excess === null
        ? `with ${lostPercent} % less throughput than its best batch`
        : `in ${excess.ms.toFixed(1)} ms, promised ${sloInWords(excess.limit.slo)}`
    return `${batch} as slowly as ${size}, ${price}`
  }
  const isBound = question.limits.some(({ binds }) => binds === 'batch')
  const last = (batches: readonly number[]): number => (isBound ? (batches.at(-1) ?? 0) : question.batch)
  const highest = last(rivals(padding, question, EXCESS_MAX_FRACTION))
  return { largest: last(kept), highest, isKept, isGood, cost }
}

/** The batches that keep every promise under a padding, within a tolerance. */
function rivals(padding: Padding, question: PaddedQuestion, tolerance: number): number[] {
  const { batch: given, range } = question
  // Caution has chosen the curve's batch: where nothing is padded it is the best there is.
  if (padding.sizes.length === 0) return [given]
  const largest = Math.max(given, Math.floor(Math.min(range.measured, range.kv ?? Infinity)))
  return Array.from({ length: largest }, (_, index) => index + 1).filter(
    (batch) => broken(padding, question, { batch, tolerance }) === null,
  )
}

/** The promise that a full batch breaks under a padding, or null. */
function broken(
  padding: Padding,
  { limits }: PaddedQuestion,
  { batch, tolerance }: { readonly batch: number; readonly tolerance: number },
): { readonly limit: SloLimit; readonly ms: number } | null {
  const binding = limits.filter(({ binds }) => binds === 'batch')
  for (const [index, limit] of binding.entries()) {
    const ms = padding.promisedMs[index]?.(batch) ?? 0
    if (ms > limit.maxMs * (1 + tolerance)) return { limit, ms }
  }
  return null
}
