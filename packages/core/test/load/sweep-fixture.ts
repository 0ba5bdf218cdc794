import { nextStep } from '@loadcurve/core/load/controller'
import type { FinishedStep, PlannedStep, SweepPlan } from '@loadcurve/core/load/step-level'

export function sweepPlan(sweep: Partial<SweepPlan['sweep']> = {}, rest: Partial<SweepPlan> = {}): SweepPlan {
  return {
    sweep: {
      mode: 'grid',
      concurrency: [1, 2, 4, 8, 16, 32, 64, 128],
      ratesPerS: [],
      batch: { control: 'none', levels: [] },
      order: 'shuffled',
      repeatAnchor: true,
      holdOut: true,
      adaptive: { start: 1, concurrencyMax: 1024, gainFraction: 0.05, refineLevels: 4 },
      furtherLevels: 3,
      verify: false,
      ...sweep,
    },
    limits: { maxRequests: 1e6, maxOutputTokens: 1e9, maxDurationS: 1e5 },
    seed: 1,
    ...rest,
  }
}

/** A measured step of a server that saturates at `capacity` in flight and misses its SLO above `sloAt`. */
export function measured(
  step: PlannedStep,
  server: { readonly capacity: number; readonly sloAt: number },
): FinishedStep {
  const concurrency = step.level.concurrency ?? 1
  return {
    ...step,
    outcome: 'measured',
    outputTokensPerS: 50 * Math.min(concurrency, server.capacity),
    sloMet: concurrency <= server.sloAt,
    requests: 100,
    outputTokens: 10_000,
    durationS: 20,
  }
}

/** Runs a plan against that server to its end. */
export function runSweep(
  plan: SweepPlan,
  server: { readonly capacity: number; readonly sloAt: number },
): { readonly finished: FinishedStep[]; readonly reason: string } {
  const finished: FinishedStep[] = []
  for (;;) {
    const next = nextStep({ plan, finished, promise: () => ({ ratePerS: 3, batch: null }) })
    if (next.kind === 'done') return { finished, reason: next.reason }
    finished.push(measured({ level: next.level, purpose: next.purpose }, server))
  }
}
