/** The laws that the planner's core does not know must do what they are named for, or they would prove nothing. */
import { expect, test } from 'vitest'
import { runClosedLoop } from '../../src/engine/closed-loop.ts'
import { runOpenLoop } from '../../src/engine/open-loop.ts'
import type { Workload } from '../../src/engine/virtual-run.ts'
import type { ServerLaw } from '../../src/model/law.ts'
import type { LengthLaw } from '../../src/model/lengths.ts'
import { PRESETS } from '../../src/presets/presets.ts'
import { summariseRun } from '../../src/truth/run-summary.ts'

const law: ServerLaw = { ...PRESETS.small.law, maxNumSeqs: 64, noise: { stepCv: 0, prefillCv: 0 } }
const workload: Workload = {
  inputTokens: { kind: 'fixed', tokens: 128 },
  outputTokens: { kind: 'uniform', min: 51, max: 77 },
}

function loop(changes: Partial<ServerLaw>, concurrency: number, output: LengthLaw = workload.outputTokens) {
  const options = {
    law: { ...law, ...changes },
    workload: { ...workload, outputTokens: output },
    concurrency,
  }
  return summariseRun(runClosedLoop({ ...options, requests: 2000, seed: 1 }))
}

test('CUDA-graph staircase: TPOT is flat inside a captured size and jumps at its edge', () => {
  const capturedBatches = [8, 16, 32, 64]
  const tpot = (concurrency: number) => loop({ capturedBatches }, concurrency).tpotMs.mean ?? 0
  // From 9 to 15 clients the decode step stays at 16; only the others' prefill (4.56 ms in 64 steps) adds up.
  const prefillShareMs = 4.5616384 / 64
  expect(Math.abs(tpot(15) - tpot(10) - 5 * prefillShareMs)).toBeLessThan(0.1)
  // From 16 to 17 clients it doubles: 16 more sequences at 0.7 ms each, less the steps that still have 16 or fewer.
  expect(tpot(19) - tpot(15)).toBeGreaterThan(0.8 * 16 * 0.7)
})

test('KV preemption: past the memory the throughput falls although the slots are free', () => {
  const kv = { blocks: 200, blockTokens: 16 }
  const roomy = loop({ kv }, 12)
  const crowded = loop({ kv }, 64, { kind: 'uniform', min: 200, max: 800 })
  const free = loop({ kv: null }, 64, { kind: 'uniform', min: 200, max: 800 })
  expect(roomy.preemptions).toBe(0)
  expect(crowded.preemptions).toBeGreaterThan(100)
  expect(crowded.runningMean).toBeLessThan(20)
  expect(crowded.outputTokensPerS).toBeLessThan(0.75 * free.outputTokensPerS)
})

test('prefill-bound: long prompts saturate the engine far below its slots', () => {
  const { law: bound, typicalInputTokens, typicalOutputTokens } = PRESETS['prefill-bound']
  const run = runClosedLoop({
    law: bound,
    workload: {
      inputTokens: { kind: 'fixed', tokens: typicalInputTokens },
      outputTokens: { kind: 'uniform', min: 0.8 * typicalOutputTokens, max: 1.2 * typicalOutputTokens },
    },
    concurrency: 64,
    requests: 1000,
    seed: 1,
  })
  expect(run.decodeBatchMean).toBeLessThan(0.5 * bound.maxNumSeqs)
  expect(run.runningMean).toBeGreaterThan(run.decodeBatchMean)
})

test('heavy tails: with the same mean length, open-loop waits are longer', () => {
  const waits = (outputTokens: LengthLaw) =>
    summariseRun(
      runOpenLoop({
        law: { ...law, maxNumSeqs: 16 },
        workload: { ...workload, outputTokens },
        arrivals: { ratePerS: 8, cv: 1 },
        requests: 20_000,
        seed: 1,
      }),
    )
  const heavy = waits({ kind: 'pareto', min: 24, shape: 1.5, max: 4000 })
  const light = waits({ kind: 'uniform', min: 51, max: 77 })
  // Cut at 4,000 tokens this Pareto law has mean 66.4: nearly the same load, another spread.
  expect(heavy.outputTokensPerS / light.outputTokensPerS).toBeGreaterThan(0.9)
  expect(heavy.outputTokensPerS / light.outputTokensPerS).toBeLessThan(1.15)
  expect(heavy.ttftMs.p95 ?? 0).toBeGreaterThan(1.5 * (light.ttftMs.p95 ?? 0))
})

test('hiccups: they cost their share of the time and show in the tail', () => {
  const hiccup = { everyMs: 2000, pauseMs: 200 }
  const calm = loop({}, 16)
  const shaken = loop({ hiccup }, 16)
  // A pause of 200 in every 2,000 ms of the clock leaves 90 % of the work done; a step may swallow one.
  expect(shaken.requestsPerS / calm.requestsPerS).toBeCloseTo(0.9, 2)
  expect((shaken.ttftMs.p99 ?? 0) - (calm.ttftMs.p99 ?? 0)).toBeGreaterThan(150)
})

test('virtual time: an hour of the small server, full, takes seconds', () => {
  const before = process.cpuUsage()
  const run = runClosedLoop({ law: PRESETS.small.law, workload, concurrency: 16, requests: 38_000, seed: 1 })
  const cpuS = process.cpuUsage(before).user / 1e6
  expect(run.windowEndMs).toBeGreaterThan(3_600_000)
  console.log(`an hour of virtual time took ${cpuS.toFixed(1)} s of CPU`)
  // About one; ten would mean that something in the loop grows.
  expect(cpuS).toBeLessThan(10)
})
