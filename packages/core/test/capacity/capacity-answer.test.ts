import { answerCapacity, type CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import { peakDemand } from '@loadcurve/core/capacity/demand'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { describe, expect, test } from 'vitest'
import { FIXED } from './law-fixture.ts'
import { sweepLevels } from './sweep-levels-fixture.ts'

const slo: SloTarget[] = [
  { metric: 'ttft', percentile: 95, maxMs: 300 },
  { metric: 'tpot', percentile: 95, maxMs: 20 },
]
const question: CapacityQuestion = {
  levels: sweepLevels(),
  inputTokens: null,
  outputTokens: null,
  experts: null,
  probes: [],
  seed: 1,
  draws: 100,
  slo,
  hardware: null,
  traffic: { inputTokens: null, outputTokens: null, arrival: { process: 'poisson' } },
  captureSizes: [],
  ratesPerS: [1, 3],
  demand: peakDemand(40),
  stepTokens: null,
  purchase: {
    gpusPerReplica: 2,
    gpusPerNode: null,
    failureDomain: 'replica',
    pricePerGpuHour: 2.5,
    priceDate: null,
    apiPrice: null,
  },
}

describe('capacity answer', () => {
  test('a clean sweep: batch, rate, profiles, fleet and cost, each from the one before', () => {
    const answer = answerCapacity(question)
    const { batch, openLoop, fleet, profiles } = answer
    expect(answer.verdict).toBe('recommended')
    // itl(20) = 20 ms with the batch full.
    expect(batch.recommended).toBeGreaterThanOrEqual(17)
    expect(batch.recommended).toBeLessThanOrEqual(20)
    const rate = openLoop?.maxRequestsPerS ?? 0
    expect(batch.operating).toBeLessThan(batch.recommended ?? 0)
    expect(batch.admissionLimit).toBeGreaterThanOrEqual(batch.operating ?? 0)
    expect(fleet?.replicas).toBe(Math.ceil(40 / rate))
    expect(fleet?.gpus).toBe(2 * (fleet?.replicas ?? 0))
    expect(fleet?.costPerMillionOutputTokens.atCapacity).toBeCloseTo((1e6 * 5) / (rate * 3600 * 201), 9)
    expect(fleet?.costPerSuccessfulRequest).toBeCloseTo((fleet?.costPerHour ?? 0) / (40 * 3600 * 0.99), 9)
    expect(openLoop?.at.map((point) => point.refused)).toEqual([null, null])
    expect(profiles.batch?.requestsPerS).toBeGreaterThan(rate)
    expect(profiles.interactive?.verdict).toBe('recommended')
  })

  test('a server that may pad 17 to 24: the batch is 16, and the level that would tell is named', () => {
    const { verdict, batch, caveats } = answerCapacity({ ...question, captureSizes: null })
    expect(verdict).toBe('recommended')
    expect(batch.recommended).toBe(16)
    expect(batch.levelWanted?.batch).toBeGreaterThan(16)
    expect(caveats.some((caveat) => caveat.startsWith('batch-between-levels'))).toBe(true)
  })

  test('the same question gives the same answer', () => {
    expect(answerCapacity({ ...question, ratesPerS: [1] })).toEqual(
      answerCapacity({ ...question, ratesPerS: [1] }),
    )
  })

  test('an SLO below zero load: infeasible, and nothing to buy', () => {
    const impossible: SloTarget[] = [{ metric: 'ttft', percentile: 95, maxMs: 20 }]
    const answer = answerCapacity({ ...question, slo: impossible })
    expect(answer.verdict).toBe('infeasible')
    expect(answer.reasons).toContain('slo-below-zero-load')
    expect(answer.batch.recommended).toBeNull()
    expect(answer.fleet).toBeNull()
  })

  test('a GPU that does not hold the weights: no rate, and nothing to buy', () => {
    const hardware = {
      gpu: 'A100-40GB-SXM',
      gpusPerReplica: 1,
      model: 'Llama-3.1-70B',
      memoryUtilizationFraction: 0.9,
      kvBytesPerElement: 2,
      kvBlockTokens: 16,
    }
    const answer = answerCapacity({ ...question, hardware })
    expect(answer.verdict).toBe('infeasible')
    expect(answer.reasons).toContain('weights-do-not-fit')
    expect(answer.openLoop?.maxRequestsPerS).toBeNull()
    expect(answer.batch).toMatchObject({ recommended: null, operating: null, admissionLimit: null })
    expect(answer.fleet).toBeNull()
  })

  test('no demand at all needs no replica', () => {
    const answer = answerCapacity({ ...question, demand: peakDemand(0) })
    expect(answer.fleet).toMatchObject({ replicas: 0, gpus: 0 })
    expect(answer.caveats).toContain('demand-is-zero')
  })

  test('lengths beyond the measured range: the batch stands, rate and fleet do not', () => {
    const answer = answerCapacity({ ...question, traffic: { ...question.traffic, outputTokens: FIXED(900) } })
    expect(answer.openLoop?.maxRequestsPerS).toBeNull()
    expect(answer.reasons).toContain('beyond-measured-range')
    expect(answer.fleet).toBeNull()
    expect(answer.caveats).toContain('no-fleet-without-rate')
  })

  test('too few levels: the fit’s refusal goes through, and nothing is simulated', () => {
    const answer = answerCapacity({ ...question, levels: question.levels.slice(0, 3) })
    expect(answer.verdict).toBe('inconclusive')
    expect(answer.reasons).toContain('too-few-levels')
    expect(answer.openLoop).toBeNull()
  })
})
