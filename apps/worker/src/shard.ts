/**
 * One shard: a load process of ours, from its order to its record.
 *
 * Several times a second the shard asks Postgres whether its attempt is still wanted. When the answer is no, or there
 * is none, the load process is killed at once: a target must never be loaded by an attempt that nobody conducts.
 */
import type { Sample } from '@loadcurve/core/metrics/sample'
import type { ShardProgress } from '@loadcurve/core/run/progress'
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { forkLoadProcess, type LoadProcess } from '@loadcurve/loadgen/process/fork'
import type { Progress, StepOrder } from '@loadcurve/loadgen/step-order'
import { FLEET_LEASE } from '@loadcurve/store/lease'
import {
  answerLook,
  claimShard,
  failShard,
  markShardReady,
  type ShardKey,
  saveShardProgress,
  storeShard,
} from '@loadcurve/store/shards'
import { getStep, type StepLife, stepLife } from '@loadcurve/store/steps'
import type { WorkerContext } from './context.ts'
import { type Ticker, tickUntil } from './ticker.ts'

const POLL_MS = 200
const clock = new MonotonicClock()

/** Drives one shard, if it is still wanted and nobody else has it. Resolves when its load is over. */
export async function runShard(context: WorkerContext, key: ShardKey): Promise<void> {
  const { db, workerId } = context
  const log = context.log.child({ runId: key.runId, step: key.step, attempt: key.attempt, shard: key.shard })
  const step = await getStep(db, key)
  // A queue may bring an assignment long after its attempt was closed, or twice.
  if (step?.state !== 'running' || !(await claimShard(db, key, workerId))) return
  const order = step.order as Omit<StepOrder, 'part'>
  const watched = new WatchedShard(context, key, {
    ...order,
    part: { shard: key.shard, shards: step.shardsCount },
  })
  log.info('shard started')
  try {
    const samplesCount = await watched.run()
    log.info({ samplesCount }, 'shard finished')
  } catch (error) {
    const message = context.redact(error instanceof Error ? error.message : String(error))
    log.warn({ message }, 'shard failed')
    await failShard(db, key, message).catch(() => {})
  } finally {
    watched.end()
  }
}

/** The load process with the watch over it. */
class WatchedShard {
  readonly #context: WorkerContext
  readonly #key: ShardKey
  readonly #process: LoadProcess
  /** Only what has ended since the beginning, for looks; the record has its own. */
  readonly #samples: Sample[] = []
  #progress: ShardProgress | null = null
  #hasStarted = false
  #look = 0
  #extendedUntilMs = 0
  #stopped: string | null = null

  constructor(context: WorkerContext, key: ShardKey, order: StepOrder) {
    this.#context = context
    this.#key = key
    this.#process = forkLoadProcess({
      order,
      env: context.env,
      onProgress: (progress) => this.#note(progress),
    })
  }

  /** @returns how many samples were stored */
  async run(): Promise<number> {
    const watch = tickUntil(() => this.#watch(), POLL_MS)
    try {
      const ready = await this.#process.ready
      if ('end' in ready) throw new Error(this.#stopped ?? `${ready.code}: ${ready.message}`)
      await markShardReady(this.#context.db, this.#key)
      const result = await this.#process.result
      if (result.end === 'failed') throw new Error(this.#stopped ?? `${result.code}: ${result.message}`)
      if (result.end === 'aborted') throw new Error(this.#stopped ?? 'aborted')
      return await this.#store(watch, result.record)
    } finally {
      watch.stop()
    }
  }

  /** Whatever happened, no load process is left. */
  end(): void {
    this.#process.kill()
  }

  async #store(watch: Ticker, record: Parameters<typeof storeShard>[2]): Promise<number> {
    // The watch must not write behind the record.
    await watch.stop()
    const isStored = await storeShard(this.#context.db, this.#key, record)
    if (!isStored) throw new Error('the record is not wanted any more')
    return record.samples.length
  }

  #note({ samples, ...progress }: Progress): void {
    this.#samples.push(...samples)
    const { phase, atMs, windowOpenAtMs, inFlight, started, ended, failed, dropped } = progress
    const { measuredStarted, measuredEnded, endedPerS, contentEventsPerS } = progress
    const { ttftP50Ms, tpotP50Ms, generatorLagP99Ms } = progress
    this.#progress = {
      ...{ phase, atMs, windowOpenAtMs, inFlight, started, ended, failed, dropped },
      ...{ measuredStarted, measuredEnded, endedPerS, contentEventsPerS },
      ...{ ttftP50Ms, tpotP50Ms, generatorLagP99Ms },
    }
  }

  async #watch(): Promise<void> {
    const { db, stopping } = this.#context
    if (stopping.aborted) return this.#stop('the worker stops')
    const askedAtMs = clock.nowMs()
    let life: StepLife
    try {
      life = await stepLife(db, this.#key, FLEET_LEASE)
    } catch (error) {
      return this.#stop(`the database does not answer: ${(error as Error).message}`)
    }
    if (!life.isLive) return this.#stop('the attempt is not wanted any more')
    this.#obey(life, (askedAtMs + clock.nowMs()) / 2)
    if (this.#progress !== null) await saveShardProgress(db, this.#key, this.#progress)
    if (life.look > this.#look) {
      this.#look = life.look
      await answerLook(db, this.#key, { look: life.look, samples: this.#samples })
    }
  }

  #obey(life: StepLife, answeredAtMs: number): void {
    if (life.startAt !== null && !this.#hasStarted) {
      this.#hasStarted = true
      // The database's clock is what the shards of all machines share; the middle of the question is when it answered.
      this.#process.go(answeredAtMs + life.startAt.getTime() - life.now.getTime())
    }
    if (life.extendUntilMs !== null && life.extendUntilMs > this.#extendedUntilMs) {
      this.#extendedUntilMs = life.extendUntilMs
      this.#process.extend(life.extendUntilMs)
    }
  }

  #stop(why: string): void {
    this.#stopped ??= why
    this.#process.kill()
  }
}
