import { expect, test } from 'vitest'
import { runOpenLoop } from '../../src/engine/open-loop.ts'
import type { VirtualRequest, Workload } from '../../src/engine/virtual-run.ts'
import type { ServerLaw } from '../../src/model/law.ts'
import { PRESETS } from '../../src/presets/presets.ts'
import { summariseRun } from '../../src/truth/run-summary.ts'
import { sustainableRate } from '../../src/truth/sustainable-rate.ts'

/** One slot, one step of exactly 10 ms per request: an M/D/1 queue. */
const ONE_AT_A_TIME: ServerLaw = {
  ...PRESETS.small.law,
  baseMs: 10,
  perSequenceMs: 0,
  prefill: { perPromptMs: 0, perTokenMs: 0, perTokenSquaredMs: 0 },
  maxNumSeqs: 1,
  kv: null,
  noise: { stepCv: 0, prefillCv: 0 },
}
const ONE_TOKEN: Workload = {
  inputTokens: { kind: 'fixed', tokens: 1 },
  outputTokens: { kind: 'fixed', tokens: 1 },
}

test('open loop: a single slot with equal work is the M/D/1 queue', () => {
  const requests = 200_000
  const utilisation = 0.7
  const run = runOpenLoop({
    law: ONE_AT_A_TIME,
    workload: ONE_TOKEN,
    arrivals: { ratePerS: 100 * utilisation, cv: 1 },
    requests,
    seed: 1,
  })
  // Pollaczek-Khinchine: mean wait rho * S / (2 * (1 - rho)), here 11.667 ms, plus the service itself.
  const expectedMs = 10 + (utilisation * 10) / (2 * (1 - utilisation))
  // Asymptotic variance of the mean wait of an M/D/1 queue is under S^2 * rho / (1 - rho)^4; five standard errors.
  const toleranceMs = 5 * Math.sqrt((100 * utilisation) / (1 - utilisation) ** 4 / requests)
  expect(toleranceMs).toBeLessThan(1.1)
  expect(Math.abs((summariseRun(run).ttftMs.mean ?? 0) - expectedMs)).toBeLessThan(toleranceMs)
})

test('sustainable rate: the mean-wait limit of M/D/1 is inverted', () => {
  // A mean response of 15 ms needs rho / (1 - rho) = 1, so half the capacity of 100/s.
  const found = sustainableRate({
    law: ONE_AT_A_TIME,
    workload: ONE_TOKEN,
    arrivalCv: 1,
    objectives: [{ metric: 'ttft', percentile: 'mean', maxMs: 15 }],
    requests: 50_000,
    seeds: [1, 2],
    toleranceFraction: 0.002,
  })
  // d(response)/d(rho) is 20 ms at one half, and the mean is known to about 0.1 ms.
  expect(Math.abs(found.ratePerS - 50)).toBeLessThan(1)
  expect(found.utilisation).toBeCloseTo(found.ratePerS / 100, 2)
})

test('sustainable rate: burstier arrivals and longer prompts are carried less', () => {
  const rate = (arrivalCv: number, inputTokens: number) =>
    sustainableRate({
      law: PRESETS.small.law,
      workload: {
        inputTokens: { kind: 'fixed', tokens: inputTokens },
        outputTokens: { kind: 'uniform', min: 50, max: 78 },
      },
      arrivalCv,
      objectives: [{ metric: 'ttft', percentile: 95, maxMs: 500 }],
      requests: 2000,
      seeds: [1, 2],
      toleranceFraction: 0.01,
    }).ratePerS
  const smooth = rate(1, 128)
  expect(rate(2, 128)).toBeLessThan(smooth)
  expect(rate(1, 1500)).toBeLessThan(smooth)
})

test('sustainable rate: a limit below zero load is carried at no rate, and says which', () => {
  const impossible = { metric: 'tpot', percentile: 95, maxMs: 5 } as const
  const found = sustainableRate({
    law: PRESETS.small.law,
    workload: { inputTokens: { kind: 'fixed', tokens: 100 }, outputTokens: { kind: 'fixed', tokens: 20 } },
    arrivalCv: 1,
    objectives: [impossible, { metric: 'ttft', percentile: 95, maxMs: 5000 }],
    requests: 500,
    seeds: [1],
    toleranceFraction: 0.01,
  })
  expect(found).toEqual({ ratePerS: 0, utilisation: 0, decodeBatch: null, bindings: [impossible] })
})

test('open loop: the measured requests are the first after the warm-up, long ones included', () => {
  const options = {
    law: { ...PRESETS.small.law, maxNumSeqs: 256 },
    workload: {
      inputTokens: { kind: 'fixed', tokens: 10 },
      outputTokens: { kind: 'pareto', min: 10, shape: 1.1, max: 4000 },
    } satisfies Workload,
    arrivals: { ratePerS: 20, cv: 1 },
    seed: 3,
  }
  const whole = runOpenLoop({ ...options, requests: 4000, warmupRequests: 0 })
  const part = runOpenLoop({ ...options, requests: 400, warmupRequests: 0 })
  const byArrival = [...whole.requests].sort((a, b) => a.arrivedAtMs - b.arrivedAtMs)
  const lengths = (requests: readonly VirtualRequest[]) => requests.map(({ outputTokens }) => outputTokens)
  const inOrder = [...part.requests].sort((a, b) => a.arrivedAtMs - b.arrivedAtMs)
  expect(lengths(inOrder)).toEqual(lengths(byArrival.slice(0, 400)))
})
