/** What the events of a run add up to: a pure reducer, so that a replay gives the same picture as having watched. */
import type { RunEventKind } from '@loadcurve/core/run/event'
import type { ShardProgress } from '@loadcurve/core/run/progress'

export interface LiveStep {
  readonly step: number
  readonly attempt: number
  readonly purpose: string
  readonly level: {
    readonly batch: number | null
    readonly concurrency: number | null
    readonly ratePerS: number | null
  }
  readonly state: 'running' | 'finished' | 'failed' | 'abandoned'
  readonly progress: ShardProgress | null
  readonly message: string | null
}

export interface LiveRun {
  readonly state: 'waiting' | 'running' | 'finished' | 'failed' | 'cancelled'
  readonly notice: string | null
  readonly findings: readonly { readonly code: string; readonly ok: boolean; readonly message: string }[]
  readonly steps: readonly LiveStep[]
  readonly isOver: boolean
  readonly hasRecommendation: boolean
}

export const NOTHING_YET: LiveRun = {
  state: 'waiting',
  notice: null,
  findings: [],
  steps: [],
  isOver: false,
  hasRecommendation: false,
}

type Data = Readonly<Record<string, unknown>>

export function afterEvent(run: LiveRun, kind: RunEventKind, data: Data): LiveRun {
  switch (kind) {
    case 'no-worker-connected':
      return {
        ...run,
        notice: 'No worker is connected. Start one with "loadcurve up", or see docs/OPERATIONS.md.',
      }
    case 'run-started':
    case 'run-resumed':
      return { ...run, state: 'running', notice: null }
    case 'preflight':
      return { ...run, findings: (data['findings'] as LiveRun['findings'] | undefined) ?? run.findings }
    case 'cancel-requested':
      return { ...run, notice: 'Cancelling: the load stops within two seconds.' }
    case 'recommendation':
      return { ...run, hasRecommendation: true }
    case 'run-finished':
    case 'run-failed':
    case 'run-cancelled':
      return {
        ...run,
        state: kind.slice(4) as LiveRun['state'],
        notice: textOf(data['message']),
        isOver: true,
      }
    default:
      return kind.startsWith('step-') ? { ...run, steps: afterStepEvent(run.steps, kind, data) } : run
  }
}

function afterStepEvent(steps: readonly LiveStep[], kind: RunEventKind, data: Data): readonly LiveStep[] {
  const isSame = (step: LiveStep) => step.step === data['step'] && step.attempt === data['attempt']
  if (kind === 'step-started') return [...steps.filter((step) => !isSame(step)), startedStep(data)]
  return steps.map((step) => (isSame(step) ? changedStep(step, kind, data) : step))
}

function startedStep(data: Data): LiveStep {
  return {
    step: Number(data['step']),
    attempt: Number(data['attempt']),
    purpose: String(data['purpose']),
    level: data['level'] as LiveStep['level'],
    state: 'running',
    progress: null,
    message: null,
  }
}

function changedStep(step: LiveStep, kind: RunEventKind, data: Data): LiveStep {
  if (kind === 'step-progress') return { ...step, progress: data as unknown as ShardProgress }
  if (kind === 'step-extended') return { ...step, message: 'extended until its verdicts are decided' }
  const state = kind.slice('step-'.length) as LiveStep['state']
  return { ...step, state, message: textOf(data['message']) ?? (state === 'finished' ? null : step.message) }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
