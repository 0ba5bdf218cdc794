/**
 * What serving costs. One hour of the whole fleet, divided by what it made in that hour:
 *
 *   cost per 1M output tokens = 10^6 * cost per hour / (requests/s * 3600 * O)
 *
 * at three loads, because the answer differs by how busy the fleet is: at capacity (one replica, no spares, running at
 * its largest permitted rate), at peak demand and at mean demand (the whole fleet, spares and rounding included).
 * Input tokens take the place of O with I, blended ones with I + O: three ways to share the same bill, not three bills.
 */

import type { CostAtLoads } from './recommendation.ts'

/** Mean hours of a month. */
export const HOURS_PER_MONTH = 730

export interface CostQuestion {
  readonly gpus: number
  readonly gpusPerReplica: number
  /** Price of one GPU for an hour, > 0. */
  readonly pricePerGpuHour: number
  /** Rate that one replica takes, 1/s. */
  readonly capacityPerReplicaPerS: number
  readonly peakPerS: number
  readonly meanPerS: number | null
  readonly inputTokens: number
  readonly outputTokens: number
  /** Share of the requests that succeed, (0, 1]. */
  readonly successFraction: number
  readonly apiPrice: ApiPrice | null
}

/** Price of a hosted API per million tokens. */
export interface ApiPrice {
  readonly inputPerMillion: number
  readonly outputPerMillion: number
}

export interface BreakEven {
  /** Rate, held all the time, above which the fleet is cheaper than the API, 1/s; null when the API is free. */
  readonly requestsPerS: number | null
  readonly apiCostPerHourAtPeak: number
  readonly apiCostPerHourAtMean: number | null
  /** At mean demand, or at peak where no mean is known. */
  readonly cheaper: 'own' | 'api'
}

export interface CostAnswer {
  readonly costPerHour: number
  readonly costPerMonth: number
  readonly costPerMillionOutputTokens: CostAtLoads
  readonly costPerMillionInputTokens: CostAtLoads
  readonly costPerMillionBlendedTokens: CostAtLoads
  /** At mean demand, or at peak where no mean is known; null without traffic. */
  readonly costPerSuccessfulRequest: number | null
  readonly breakEven: BreakEven | null
}

/** A fleet without a price. */
export const NO_COST = {
  costPerHour: null,
  costPerMonth: null,
  costPerMillionOutputTokens: { atCapacity: null, atPeak: null, atMean: null },
  costPerMillionInputTokens: { atCapacity: null, atPeak: null, atMean: null },
  costPerMillionBlendedTokens: { atCapacity: null, atPeak: null, atMean: null },
  costPerSuccessfulRequest: null,
  breakEven: null,
}

/**
 * Costs of a fleet.
 *
 * @throws RangeError when the price, the capacity or the success fraction is not positive
 */
export function fleetCost(question: CostQuestion): CostAnswer {
  requirePositive('pricePerGpuHour', question.pricePerGpuHour)
  requirePositive('capacityPerReplicaPerS', question.capacityPerReplicaPerS)
  requirePositive('successFraction', question.successFraction)
  const { inputTokens, outputTokens, peakPerS, meanPerS } = question
  const costPerHour = question.gpus * question.pricePerGpuHour
  const usualPerS = meanPerS ?? peakPerS
  return {
    costPerHour,
    costPerMonth: costPerHour * HOURS_PER_MONTH,
    costPerMillionOutputTokens: perMillion(question, outputTokens),
    costPerMillionInputTokens: perMillion(question, inputTokens),
    costPerMillionBlendedTokens: perMillion(question, inputTokens + outputTokens),
    costPerSuccessfulRequest:
      usualPerS > 0 ? costPerHour / (usualPerS * 3600 * question.successFraction) : null,
    breakEven: question.apiPrice === null ? null : breakEven(question, question.apiPrice),
  }
}

function perMillion(question: CostQuestion, tokensPerRequest: number): CostAtLoads {
  const cost = (costPerHour: number, ratePerS: number | null): number | null =>
    ratePerS === null || ratePerS <= 0 ? null : (1e6 * costPerHour) / (ratePerS * 3600 * tokensPerRequest)
  const { pricePerGpuHour, gpus, gpusPerReplica } = question
  return {
    atCapacity: cost(gpusPerReplica * pricePerGpuHour, question.capacityPerReplicaPerS),
    atPeak: cost(gpus * pricePerGpuHour, question.peakPerS),
    atMean: cost(gpus * pricePerGpuHour, question.meanPerS),
  }
}

function breakEven(question: CostQuestion, price: ApiPrice): BreakEven {
  const { inputTokens, outputTokens, peakPerS, meanPerS } = question
  const perRequest = (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1e6
  const costPerHour = question.gpus * question.pricePerGpuHour
  const apiCostPerHour = (ratePerS: number): number => ratePerS * 3600 * perRequest
  return {
    requestsPerS: perRequest > 0 ? costPerHour / (3600 * perRequest) : null,
    apiCostPerHourAtPeak: apiCostPerHour(peakPerS),
    apiCostPerHourAtMean: meanPerS === null ? null : apiCostPerHour(meanPerS),
    cheaper: costPerHour < apiCostPerHour(meanPerS ?? peakPerS) ? 'own' : 'api',
  }
}

function requirePositive(name: string, value: number): void {
  if (!(value > 0 && value < Infinity)) throw new RangeError(`${name} must be positive, got ${value}`)
}
