/** The order in which SLOs bind as traffic grows: which promise would break first, and how much room the others have. */
import { arrivalRateUnderSlo } from './arrival-rate.ts'
import type { SloTarget } from './recommendation.ts'
import type { EngineModel } from './simulate/engine-model.ts'
import type { Rehearsal } from './simulate/rehearsal.ts'

export interface Binding {
  readonly target: SloTarget
  /** Rate that this SLO alone would allow, 1/s; 0 when it is missed with nearly no load. */
  readonly ratePerS: number
  /** False: the capacity ends before the SLO is missed. */
  readonly binds: boolean
}

/** Rates at which each SLO alone would bind, ascending. */
export function bindingOrder(
  rehearsal: Rehearsal,
  engine: EngineModel,
  slo: readonly SloTarget[],
): Binding[] {
  return slo
    .map((target) => {
      const answer = arrivalRateUnderSlo(rehearsal, engine, [target])
      return answer.kind === 'found'
        ? { target, ratePerS: answer.ratePerS, binds: answer.limitedBy !== null }
        : { target, ratePerS: 0, binds: true }
    })
    .sort((left, right) => left.ratePerS - right.ratePerS)
}

/** The order in one or two sentences; null without SLOs. */
export function bindingOrderInWords(order: readonly Binding[]): string | null {
  const [first, ...later] = order
  if (first === undefined) return null
  if (!first.binds) return 'No SLO binds: the replica runs out of capacity first.'
  const opening = `${sloInWords(first.target)} binds first, at ${rounded(first.ratePerS)} requests/s per replica.`
  const rest = later.map((binding) =>
    binding.binds
      ? `${sloInWords(binding.target)} would bind at ${rounded(binding.ratePerS)}.`
      : `${sloInWords(binding.target)} holds up to the capacity.`,
  )
  return [opening, ...rest].join(' ')
}

/** `p95 TTFT <= 800 ms`. */
export function sloInWords({ metric, percentile, maxMs }: SloTarget): string {
  const statistic = percentile === 'mean' ? 'mean' : `p${percentile}`
  return `${statistic} ${METRIC_NAMES[metric]} <= ${maxMs} ms`
}

const METRIC_NAMES: Readonly<Record<SloTarget['metric'], string>> = {
  ttft: 'TTFT',
  ttftScheduled: 'TTFT from schedule',
  firstVisibleToken: 'time to first visible token',
  tpot: 'TPOT',
  gap: 'token gap',
  e2e: 'E2E',
  validJson: 'time to valid JSON',
}

function rounded(ratePerS: number): string {
  return Number(ratePerS.toPrecision(3)).toString()
}
