import { type CostQuestion, fleetCost } from '@loadcurve/core/capacity/cost'
import { describe, expect, test } from 'vitest'

const question: CostQuestion = {
  gpus: 8,
  gpusPerReplica: 2,
  pricePerGpuHour: 3,
  capacityPerReplicaPerS: 5,
  peakPerS: 12,
  meanPerS: 4,
  inputTokens: 1000,
  outputTokens: 250,
  successFraction: 0.96,
  apiPrice: { inputPerMillion: 0.5, outputPerMillion: 2 },
}

describe('cost', () => {
  test('by hand: 24 an hour, and a million output tokens at three loads', () => {
    const cost = fleetCost(question)
    expect(cost.costPerHour).toBe(24)
    expect(cost.costPerMonth).toBe(24 * 730)
    // One replica makes 5 * 3600 * 250 = 4.5 M output tokens an hour for 6; the fleet 10.8 M at peak and 3.6 M at mean for 24.
    expect(cost.costPerMillionOutputTokens.atCapacity).toBeCloseTo(6 / 4.5, 12)
    expect(cost.costPerMillionOutputTokens.atPeak).toBeCloseTo(24 / 10.8, 12)
    expect(cost.costPerMillionOutputTokens.atMean).toBeCloseTo(24 / 3.6, 12)
    expect(cost.costPerMillionInputTokens.atPeak).toBeCloseTo(24 / 43.2, 12)
    expect(cost.costPerMillionBlendedTokens.atPeak).toBeCloseTo(24 / 54, 12)
    expect(cost.costPerSuccessfulRequest).toBeCloseTo(24 / (4 * 3600 * 0.96), 12)
  })

  test('break-even: the rate at which the API costs as much', () => {
    const { breakEven } = fleetCost(question)
    // A request costs 1000 * 0.5 + 250 * 2 millionths = 0.001; 24 an hour buy 24,000 of them.
    expect(breakEven?.requestsPerS).toBeCloseTo(24_000 / 3600, 12)
    expect(breakEven?.apiCostPerHourAtPeak).toBeCloseTo(43.2, 12)
    expect(breakEven?.apiCostPerHourAtMean).toBeCloseTo(14.4, 12)
    expect(breakEven?.cheaper).toBe('api')
    expect(fleetCost({ ...question, meanPerS: null }).breakEven?.cheaper).toBe('own')
    const free = { inputPerMillion: 0, outputPerMillion: 0 }
    expect(fleetCost({ ...question, apiPrice: free }).breakEven?.requestsPerS).toBeNull()
  })

  test('a load that is unknown or zero has no cost per token', () => {
    const idle = fleetCost({ ...question, peakPerS: 0, meanPerS: null })
    expect(idle.costPerMillionOutputTokens).toMatchObject({ atPeak: null, atMean: null })
    expect(idle.costPerSuccessfulRequest).toBeNull()
  })

  test('a price that is not positive is refused with its value', () => {
    expect(() => fleetCost({ ...question, pricePerGpuHour: -2 })).toThrow(
      'pricePerGpuHour must be positive, got -2',
    )
    expect(() => fleetCost({ ...question, successFraction: 0 })).toThrow(
      'successFraction must be positive, got 0',
    )
  })
})
