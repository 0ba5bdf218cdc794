/**
 * Was the generator itself the bottleneck? A late generator adds its own lateness to every latency, and the server
 * gets the blame. The verdict compares each kind of lateness with what it would do to the result:
 *
 *   limit = min(5 ms, 5 % of TTFT).
 *
 * A stamp that is late by x raises TTFT by x, so below the limit the headline latency is at most 5 % too high, and
 * never by more than 5 ms, which is less than the difference that anybody buys hardware for. CPU share alone proves
 * nothing (lag of 86 ms and more was seen at 0.3 of a core), so it only counts near a whole core, where a single
 * thread has no room for a burst.
 *
 * Dispatch skew counts in open loop only, where latency runs from the schedule. In closed loop a late send starts the
 * clock late as well, and a slot that idles for it shows in the achieved concurrency.
 */
import type { GeneratorReadings } from './sample.ts'

/** No step with a lag beyond this is healthy, whatever its TTFT, ms. */
export const LAG_MAX_MS = 5
/** No step with a lag beyond this fraction of TTFT is healthy. */
export const LAG_MAX_FRACTION_OF_TTFT = 0.05
/** One thread: beyond this share of a core, bursts queue in the generator. */
export const CPU_MAX_FRACTION = 0.9
/**
 * The event loop's delay includes pauses in which nothing arrived, and a machine's timers alone may err by several ms.
 * It decides alone where receive lag is not measured; beside it, only when it is this much over the limit.
 */
const EVENT_LOOP_SLACK = 4
/** Bytes that wait to be parsed: events are stamped by then, but memory and counts lag behind. */
export const PARSE_QUEUE_MAX_BYTES = 64 * 1024 * 1024

export type GeneratorReason =
  | 'receive-lag'
  | 'event-loop-delay'
  | 'dispatch-skew'
  | 'calibration-lag'
  | 'cpu-saturated'
  | 'arrivals-dropped'
  | 'parse-queue-full'
  | 'readings-missing'

export interface GeneratorVerdict {
  readonly healthy: boolean
  /** Empty when healthy. */
  readonly reasons: readonly GeneratorReason[]
  /** Lag beyond which the step is not trusted, ms. */
  readonly lagLimitMs: number
}

export interface JudgedStep {
  readonly loop: 'closed' | 'open'
  /** The step's median TTFT; null when there is none (then only the absolute limit counts). */
  readonly ttftMs: number | null
}

/** The verdict over one load process. */
export function judgeGenerator(readings: GeneratorReadings, { loop, ttftMs }: JudgedStep): GeneratorVerdict {
  const lagLimitMs = lagLimit(ttftMs)
  const { receiveLagP99Ms } = readings
  const loopLimitMs = receiveLagP99Ms === null ? lagLimitMs : EVENT_LOOP_SLACK * lagLimitMs
  const found: (readonly [GeneratorReason, boolean])[] = [
    ['receive-lag', receiveLagP99Ms !== null && receiveLagP99Ms > lagLimitMs],
    ['event-loop-delay', readings.eventLoopDelayP99Ms > loopLimitMs],
    ['dispatch-skew', loop === 'open' && readings.dispatchSkewP99Ms > lagLimitMs],
    ['calibration-lag', calibrationLagMs(readings) > lagLimitMs],
    ['cpu-saturated', readings.cpuFraction > CPU_MAX_FRACTION],
    ['arrivals-dropped', readings.droppedArrivals > 0],
    ['parse-queue-full', readings.parseQueuePeakBytes > PARSE_QUEUE_MAX_BYTES],
  ]
  const reasons = found.filter(([, holds]) => holds).map(([reason]) => reason)
  return { healthy: reasons.length === 0, reasons, lagLimitMs }
}

// The calibration's few hundred events come before the step: their bias is systematic and stays, while a tail that came
// from a busy moment is over, and what the step itself saw of lag counts instead, where it was measured.
function calibrationLagMs({ calibration, receiveLagP99Ms }: GeneratorReadings): number {
  if (calibration === null) return 0
  return receiveLagP99Ms === null
    ? Math.max(calibration.ttftBiasMs, calibration.lagP99Ms)
    : calibration.ttftBiasMs
}

/** A step is as healthy as the worst of its load processes. Without any reading nothing is known, so nothing is trusted. */
export function judgeGenerators(readings: readonly GeneratorReadings[], step: JudgedStep): GeneratorVerdict {
  const lagLimitMs = lagLimit(step.ttftMs)
  if (readings.length === 0) return { healthy: false, reasons: ['readings-missing'], lagLimitMs }
  const reasons = new Set(readings.flatMap((one) => judgeGenerator(one, step).reasons))
  return { healthy: reasons.size === 0, reasons: [...reasons], lagLimitMs }
}

/** The readings of all shards as one: the worst of each lag, the sum of each count. Null without shards. */
export function worstReadings(readings: readonly GeneratorReadings[]): GeneratorReadings | null {
  const [first, ...others] = readings
  return first === undefined ? null : others.reduce(worseOf, first)
}

function worseOf(left: GeneratorReadings, right: GeneratorReadings): GeneratorReadings {
  const worst = (part: (one: GeneratorReadings) => number) => Math.max(part(left), part(right))
  const total = (part: (one: GeneratorReadings) => number) => part(left) + part(right)
  return {
    eventLoopDelayP99Ms: worst((one) => one.eventLoopDelayP99Ms),
    dispatchSkewP99Ms: worst((one) => one.dispatchSkewP99Ms),
    receiveLagP99Ms: larger(left.receiveLagP99Ms, right.receiveLagP99Ms),
    parseQueuePeakBytes: worst((one) => one.parseQueuePeakBytes),
    cpuFraction: worst((one) => one.cpuFraction),
    cpuUsPerEvent: larger(left.cpuUsPerEvent, right.cpuUsPerEvent),
    droppedArrivals: total((one) => one.droppedArrivals),
    connectionsOpened: total((one) => one.connectionsOpened),
    retries: total((one) => one.retries),
    calibration: worseCalibration(left.calibration, right.calibration),
  }
}

function worseCalibration(
  left: GeneratorReadings['calibration'],
  right: GeneratorReadings['calibration'],
): GeneratorReadings['calibration'] {
  if (left === null || right === null) return left ?? right
  return left.lagP99Ms >= right.lagP99Ms ? left : right
}

function larger(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right
  return Math.max(left, right)
}

function lagLimit(ttftMs: number | null): number {
  return Math.min(LAG_MAX_MS, ttftMs === null ? LAG_MAX_MS : ttftMs * LAG_MAX_FRACTION_OF_TTFT)
}
