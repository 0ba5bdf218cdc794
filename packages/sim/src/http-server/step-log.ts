/** The engine steps that really happened: nominal and real instants, batch and tokens. A ring of bounded size. */
import type { RealStep } from '../engine/real-time.ts'

const STEPS_MAX = 131_072

/** Sums over the steps of a window. */
export interface StepTotals {
  readonly steps: number
  /** Instants of the first step's start and the last step's end; null without steps. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** Sum over steps of duration, and of duration times decode batch. */
  readonly busyMs: number
  readonly decodeMs: number
  readonly tokens: number
  /** Mean time from one step's first token to the next step's, over steps without a pause between them; ms. */
  readonly realMeanMs: number | null
  /** How late the first token of a step left after the step was due. */
  readonly latenessMs: {
    readonly mean: number | null
    readonly p95: number | null
    readonly max: number | null
  }
  /** From the first to the last token of one step. */
  readonly handingMs: {
    readonly mean: number | null
    readonly p95: number | null
    readonly max: number | null
  }
  /** False when the window reaches back beyond what is remembered. */
  readonly complete: boolean
}

export class StepLog {
  #steps: RealStep[] = []
  #forgotten = false

  add(step: RealStep): void {
    this.#steps.push(step)
    if (this.#steps.length <= STEPS_MAX) return
    this.#steps = this.#steps.slice(STEPS_MAX / 8)
    this.#forgotten = true
  }

  /** Steps that were due in [sinceMs, untilMs). */
  between(sinceMs: number, untilMs: number): RealStep[] {
    return this.#steps.filter(({ dueAtMs }) => dueAtMs >= sinceMs && dueAtMs < untilMs)
  }

  totals(sinceMs: number, untilMs: number): StepTotals {
    const steps = this.between(sinceMs, untilMs)
    const sum = (value: (step: RealStep) => number) => steps.reduce((total, step) => total + value(step), 0)
    return {
      steps: steps.length,
      fromMs: steps[0]?.startedAtMs ?? null,
      toMs: steps.at(-1)?.dueAtMs ?? null,
      busyMs: sum(({ durationMs }) => durationMs),
      decodeMs: sum(({ durationMs, decodeBatch }) => durationMs * decodeBatch),
      tokens: sum(({ tokens }) => tokens),
      realMeanMs: realMean(steps),
      latenessMs: spread(steps.map(({ handedFromMs, dueAtMs }) => handedFromMs - dueAtMs)),
      handingMs: spread(steps.map(({ handedFromMs, handedToMs }) => handedToMs - handedFromMs)),
      complete: !this.#forgotten || (this.#steps[0]?.dueAtMs ?? 0) <= sinceMs,
    }
  }
}

function realMean(steps: readonly RealStep[]): number | null {
  let sumMs = 0
  let count = 0
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1]
    if (before === undefined || before.dueAtMs !== step.startedAtMs) continue
    sumMs += step.handedFromMs - before.handedFromMs
    count++
  }
  return count === 0 ? null : sumMs / count
}

function spread(values: number[]): { mean: number | null; p95: number | null; max: number | null } {
  if (values.length === 0) return { mean: null, p95: null, max: null }
  const sorted = values.sort((a, b) => a - b)
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p95: sorted[Math.ceil(0.95 * sorted.length) - 1] ?? null,
    max: sorted.at(-1) ?? null,
  }
}
