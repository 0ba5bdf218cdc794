/**
 * The conductor's eye on a running step: budgets that are spent, a server that only fails, and whether the window has
 * seen enough. For the last, it asks the shards to show what they have when most of the window is over, judges it, and
 * moves the end while a verdict or the precision is open.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { StepLevel } from '@loadcurve/core/load/step-level'
import type { Plan } from '@loadcurve/core/plan/schema'
import type { ShardProgress } from '@loadcurve/core/run/progress'
import type { StepLength } from '@loadcurve/core/run/step-length'
import { windowWanted } from '@loadcurve/core/run/window-wanted'
import { appendEvent } from '@loadcurve/store/events'
import { listShards, lookedSamples } from '@loadcurve/store/shards'
import { askForLook, extendStep, type StepKey } from '@loadcurve/store/steps'
import type { Conductor } from './conductor.ts'
import { place, StepFailure } from './measure-step.ts'
import type { Spending } from './spending.ts'

/** Looking takes about half a second, and must be over before the window closes. */
const LOOK_AT_FRACTION = 0.8
const LOOK_MARGIN_MS = 1_500
const LOOK_WAIT_MS = 1_000
const POLL_MS = 50
/** So many failures are no bad luck any more. */
const FAILURES_JUDGED_MIN = 100

export class StepWatcher {
  readonly #conductor: Conductor
  readonly #plan: Plan
  readonly #key: StepKey
  readonly #level: StepLevel
  readonly #length: StepLength
  readonly #spent: Spending
  /** The length that is planned now. */
  #windowMs: number
  /** Nothing is open any more: the window ends as planned, and is not looked into again. */
  #isDecided = false

  constructor(
    conductor: Conductor,
    step: {
      readonly plan: Plan
      readonly key: StepKey
      readonly level: StepLevel
      readonly length: StepLength
      /** What the run has cost the target before this attempt. */
      readonly spent: Spending
    },
  ) {
    this.#conductor = conductor
    this.#plan = step.plan
    this.#key = step.key
    this.#level = step.level
    this.#length = step.length
    this.#windowMs = step.length.windowMs
    this.#spent = step.spent
  }

  /** @throws StepFailure when the step must not go on */
  async see(progress: ShardProgress): Promise<void> {
    this.#refuseErrors(progress)
    this.#refuseSpending(progress)
    if (this.#isTimeToLook(progress)) await this.#look(progress)
  }

  #refuseErrors({ ended, failed }: ShardProgress): void {
    const { maxErrorFraction } = this.#plan.limits
    if (failed < FAILURES_JUDGED_MIN || failed / ended <= maxErrorFraction) return
    throw new StepFailure(
      'error-fraction',
      `${failed} of ${ended} requests failed; the plan allows ${maxErrorFraction}`,
    )
  }

  #refuseSpending({ started }: ShardProgress): void {
    const { limits, workload } = this.#plan
    const requests = this.#spent.requests + started
    const outputTokens = this.#spent.outputTokens + started * workload.outputTokens.mean
    if (requests > limits.maxRequests) {
      throw new StepFailure(
        'budget-requests',
        `the run has sent ${requests} requests; the plan allows ${limits.maxRequests}`,
      )
    }
    if (outputTokens > limits.maxOutputTokens) {
      throw new StepFailure(
        'budget-output-tokens',
        `the run has asked for about ${Math.round(outputTokens)} output tokens; the plan allows ${limits.maxOutputTokens}`,
      )
    }
  }

  #isTimeToLook({ phase, atMs, windowOpenAtMs }: ShardProgress): boolean {
    if (!this.#plan.sweep.step.extend || phase !== 'window') return false
    if (this.#isDecided || this.#windowMs >= this.#length.windowMaxMs) return false
    const lookAfterMs = Math.max(
      0,
      Math.min(this.#windowMs * LOOK_AT_FRACTION, this.#windowMs - LOOK_MARGIN_MS),
    )
    return atMs - windowOpenAtMs >= lookAfterMs
  }

  async #look({ atMs, windowOpenAtMs }: ShardProgress): Promise<void> {
    const { lease, log, signal } = this.#conductor
    const { db } = lease
    const look = await askForLook(db, this.#key)
    const deadlineAtMs = performance.now() + LOOK_WAIT_MS
    while (performance.now() < deadlineAtMs) {
      if ((await listShards(db, this.#key)).every((shard) => shard.look >= look)) break
      await delay(POLL_MS, undefined, { signal })
    }
    const samples = await lookedSamples(db, this.#key)
    const wantedMs = windowWanted({
      rules: { ...this.#plan.sweep.step, slo: this.#plan.slo },
      level: this.#level,
      samples,
      window: { startMs: windowOpenAtMs, endMs: atMs },
      windowMs: this.#windowMs,
    })
    this.#isDecided = wantedMs <= this.#windowMs
    if (this.#isDecided) return
    const windowMs = Math.min(wantedMs, this.#length.windowMaxMs)
    this.#windowMs = windowMs
    await extendStep(db, this.#key, windowOpenAtMs + windowMs)
    await appendEvent(db, this.#key.runId, 'step-extended', { ...place(this.#key), windowMs })
    log.info({ ...place(this.#key), windowMs }, 'step extended')
  }
}
