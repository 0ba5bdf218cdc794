/** The server's batch limit as this conductor last set it; a new conductor knows nothing and sets it anew. */
import type { Plan } from '@loadcurve/core/plan/schema'
import { openVisitor, type Visitor } from '@loadcurve/loadgen/target/visitor'
import { BatchControlError, setServerBatch } from './batch-control.ts'
import { type Conductor, RunFailure } from './conductor.ts'
import { visitorOptions } from './target-visitor.ts'

const REQUEST_TIMEOUT_MS = 30_000

export class BatchDial {
  readonly #conductor: Conductor
  readonly #plan: Plan
  readonly #visitor: Visitor
  #current: number | null = null

  constructor(conductor: Conductor, plan: Plan) {
    this.#conductor = conductor
    this.#plan = plan
    this.#visitor = openVisitor(visitorOptions(conductor.context, plan))
  }

  /** Sets the limit when the plan controls the server's batch and it is not set yet. */
  async set(batch: number | null): Promise<void> {
    const { control } = this.#plan.sweep.batch
    if (control !== 'server' || batch === null || batch === this.#current) return
    const { signal, log } = this.#conductor
    try {
      await setServerBatch({
        control: this.#plan.sweep.batch,
        batch,
        signal,
        request: async ({ url, method, json }) => {
          const answer = await this.#visitor.visit({
            url,
            method,
            json,
            timeoutMs: REQUEST_TIMEOUT_MS,
            signal,
          })
          return answer.ok ? answer.status : null
        },
      })
    } catch (error) {
      if (error instanceof BatchControlError) throw new RunFailure(error.code, error.message)
      throw error
    }
    this.#current = batch
    log.info({ batch }, 'server batch set')
  }

  close(): Promise<void> {
    return this.#visitor.close()
  }
}
