/** Reading the target's own metrics while a step runs, beside the load and never in its way. */
import type { TargetReading } from '@loadcurve/core/metrics/sample'
import type { Plan } from '@loadcurve/core/plan/schema'
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { openVisitor, type Visitor } from '@loadcurve/loadgen/target/visitor'
import { customMapping, type MetricsMapping, shippedMapping } from '@loadcurve/loadgen/target-metrics/mapping'
import { type Poll, pollTargetMetrics } from '@loadcurve/loadgen/target-metrics/poll'
import { databaseNow } from '@loadcurve/store/database'
import type { Lease } from '@loadcurve/store/lease'
import { type StepKey, saveTargetReadings } from '@loadcurve/store/steps'
import type { Conductor } from './conductor.ts'
import { visitorOptions } from './target-visitor.ts'

/** An hour at ten readings a second. */
const READINGS_MAX = 36_000
const clock = new MonotonicClock()

export class TargetMetricsWatch {
  readonly #lease: Lease
  readonly #readings: TargetReading[] = []
  readonly #visitor: Visitor | null = null
  readonly #poll: Poll | null = null

  constructor({ context, lease }: Conductor, plan: Plan) {
    this.#lease = lease
    const { metricsUrl, metricsIntervalMs } = plan.target
    if (metricsUrl === null) return
    this.#visitor = openVisitor(visitorOptions(context, plan))
    this.#poll = pollTargetMetrics({
      visitor: this.#visitor,
      url: metricsUrl,
      mapping: metricsMapping(plan),
      intervalMs: metricsIntervalMs,
      nowMs: () => clock.nowMs(),
      onReading: (reading) => {
        if (this.#readings.length < READINGS_MAX) this.#readings.push(reading)
      },
    })
  }

  /** Stops reading and stores what was read, in step time. */
  async store(key: StepKey, startAt: Date): Promise<readonly TargetReading[]> {
    this.#poll?.stop()
    if (this.#readings.length === 0) return []
    const startAtMs = await monotonicInstant(this.#lease, startAt)
    const readings = this.#readings.map((reading) => ({ ...reading, atMs: reading.atMs - startAtMs }))
    await saveTargetReadings(this.#lease.db, key, readings)
    return readings
  }

  stop(): void {
    this.#poll?.stop()
    void this.#visitor?.close()
  }
}

export function metricsMapping({ target }: Plan): MetricsMapping | null {
  const { engine, series } = target.metricsMapping
  if (engine === 'auto') return null
  if (engine !== 'custom') return shippedMapping(engine)
  return series === null ? null : customMapping(series)
}

// The middle of the question is when the database read its clock.
async function monotonicInstant({ db }: Lease, instant: Date): Promise<number> {
  const askedAtMs = clock.nowMs()
  const now = await databaseNow(db)
  return (askedAtMs + clock.nowMs()) / 2 + instant.getTime() - now.getTime()
}
