/**
 * Two runs side by side, level by level. A difference is called one only when it is larger than the noise of the two
 * figures: with relative standard errors e₁ and e₂ from batch means, ln(second/first) has standard error √(e₁² + e₂²),
 * and the verdict is `differs` when it lies outside ±1.96 of that and beyond `CHANGE_MIN`. A run against a server that
 * says of itself that it is another one (engine, flags, model) is compared only when somebody asks for that.
 */
import type { StepLevel } from '../load/step-level.ts'
import type { StepSummary } from '../metrics/step-summary.ts'
import { CHANGE_MIN } from './regression.ts'

export interface ComparedRun {
  readonly runId: string
  readonly fingerprintHash: string | null
  /** Of usable steps only. */
  readonly steps: readonly { readonly level: StepLevel; readonly summary: StepSummary }[]
}

export interface ComparedFigure {
  readonly metric: 'requestsPerS' | 'outputTokensPerS' | 'ttftMs' | 'tpotMs'
  readonly first: number
  readonly second: number
  /** second / first − 1. */
  readonly changeFraction: number
  /** 95 % interval of the change; null when either figure has no known error. */
  readonly interval: readonly [number, number] | null
  /** `unknown`: the noise of one of them is not known. */
  readonly verdict: 'same' | 'better' | 'worse' | 'unknown'
}

export interface ComparedLevel {
  readonly level: StepLevel
  readonly figures: readonly ComparedFigure[]
}

export interface Comparison {
  /** Why they cannot be compared; null: they can. */
  readonly refusal: 'fingerprint-differs' | 'no-common-level' | null
  readonly fingerprintsDiffer: boolean | null
  readonly levels: readonly ComparedLevel[]
}

/**
 * Compares the levels that both runs measured.
 *
 * @param acceptOtherServer compare although the servers differ: two GPUs, two engines
 */
export function compareRuns({
  first,
  second,
  acceptOtherServer,
}: {
  readonly first: ComparedRun
  readonly second: ComparedRun
  readonly acceptOtherServer: boolean
}): Comparison {
  const isKnown = first.fingerprintHash !== null && second.fingerprintHash !== null
  const fingerprintsDiffer = isKnown ? first.fingerprintHash !== second.fingerprintHash : null
  if (fingerprintsDiffer === true && !acceptOtherServer) {
    return { refusal: 'fingerprint-differs', fingerprintsDiffer, levels: [] }
  }
  const levels = first.steps.flatMap(({ level, summary }) => {
    const other = second.steps.find((step) => isSameLevel(step.level, level))
    return other === undefined ? [] : [{ level, figures: figures(summary, other.summary) }]
  })
  return { refusal: levels.length === 0 ? 'no-common-level' : null, fingerprintsDiffer, levels }
}

function isSameLevel(left: StepLevel, right: StepLevel): boolean {
  return (
    left.batch === right.batch && left.concurrency === right.concurrency && left.ratePerS === right.ratePerS
  )
}

const FIGURES = [
  {
    metric: 'requestsPerS',
    isBetter: 'higher',
    of: ({ requestsPerS }: StepSummary) => requestsPerS,
    error: 'requestsPerS',
  },
  {
    metric: 'outputTokensPerS',
    isBetter: 'higher',
    of: ({ outputTokensPerS }: StepSummary) => outputTokensPerS,
    error: 'outputTokensPerS',
  },
  { metric: 'ttftMs', isBetter: 'lower', of: ({ latency }: StepSummary) => latency.ttft.mean, error: 'ttft' },
  { metric: 'tpotMs', isBetter: 'lower', of: ({ latency }: StepSummary) => latency.tpot.mean, error: 'tpot' },
] as const

function figures(one: StepSummary, other: StepSummary): ComparedFigure[] {
  return FIGURES.flatMap(({ metric, isBetter, of, error }) => {
    const first = of(one)
    const second = of(other)
    if (first === null || second === null || !(first > 0) || !(second > 0)) return []
    const errors = [one.relativeErrors[error], other.relativeErrors[error]] as const
    const interval = changeInterval(second / first, errors)
    const changeFraction = second / first - 1
    return [
      {
        metric,
        first,
        second,
        changeFraction,
        interval,
        verdict: verdictOf({ changeFraction, interval, isBetter }),
      },
    ]
  })
}

/** The normal quantile of a two-sided 95 % interval. */
const Z975 = 1.96

function changeInterval(ratio: number, [one, other]: readonly [number | null, number | null]) {
  if (one === null || other === null) return null
  const half = Z975 * Math.hypot(one, other)
  return [ratio * Math.exp(-half) - 1, ratio * Math.exp(half) - 1] as const
}

function verdictOf(change: {
  readonly changeFraction: number
  readonly interval: readonly [number, number] | null
  readonly isBetter: 'higher' | 'lower'
}): ComparedFigure['verdict'] {
  const { changeFraction, interval, isBetter } = change
  if (interval === null) return 'unknown'
  const isNoise = interval[0] <= 0 && interval[1] >= 0
  if (isNoise || Math.abs(changeFraction) < CHANGE_MIN) return 'same'
  return changeFraction > 0 === (isBetter === 'higher') ? 'better' : 'worse'
}
