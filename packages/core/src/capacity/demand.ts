/**
 * Demand as buyers have it, brought to what a fleet is sized by: a peak and, if it is known, a mean rate.
 *
 *   rates    the peak and the mean are given
 *   hourly   24 values: the peak is the busiest hour, the mean is their mean
 *   users    N users who think for Z between requests send N / (R + Z), R the residence of a request (Little's law)
 *   job      so many requests by a deadline: the rate that just makes it; a queue that is always full needs no head
 *            room for chance, so a job is sized by the capacity and not by lambda_slo
 */

import type { LengthDistribution } from '../load/lengths.ts'
import type { SloTarget } from './recommendation.ts'

/** A plan's demand. Exactly one form is filled; the others are null. */
export interface Demand {
  readonly peakRequestsPerS: number | null
  readonly meanRequestsPerS: number | null
  readonly users: number | null
  readonly thinkTimeS: number | null
  readonly hourlyRequestsPerS: readonly number[] | null
  readonly job: { readonly requests: number; readonly deadlineS: number } | null
  /** Several kinds of traffic, each with a peak of its own; `traffic-classes.ts` answers them. */
  readonly classes?: readonly TrafficClass[] | null
  /** What a peak is multiplied by to cover bursts inside the busiest hour, >= 1. */
  readonly burstFactor: number
  /** Replicas on top, for failures and deployments. */
  readonly spareReplicas: number
}

/** Traffic with lengths and promises of its own. */
export interface TrafficClass {
  readonly name: string
  readonly peakRequestsPerS: number
  readonly meanRequestsPerS: number | null
  readonly inputTokens: LengthDistribution
  readonly outputTokens: LengthDistribution
  readonly slo: readonly SloTarget[]
}

export interface DemandRates {
  readonly form: 'rates' | 'hourly' | 'users' | 'job'
  readonly peakPerS: number
  /** Null: unknown. */
  readonly meanPerS: number | null
  /** What the fleet must be able to take: the peak with its bursts; for a job, the rate that makes the deadline. */
  readonly sizedForPerS: number
}

/** Only a peak, no bursts beyond it, no spares: what `--demand` says. */
export function peakDemand(peakRequestsPerS: number): Demand {
  return {
    peakRequestsPerS,
    meanRequestsPerS: null,
    users: null,
    thinkTimeS: null,
    hourlyRequestsPerS: null,
    job: null,
    burstFactor: 1,
    spareReplicas: 0,
  }
}

/**
 * The rates of a demand.
 *
 * @param residenceS R, mean time of a request in a replica at the load that it will run at, s
 * @throws RangeError when no form is given, or a figure is negative or not finite
 */
export function demandRates(demand: Demand, residenceS: number): DemandRates {
  requireAtLeast('burstFactor', { value: demand.burstFactor, min: 1 })
  requireAtLeast('spareReplicas', { value: demand.spareReplicas, min: 0 })
  const rates = unscaledRates(demand, residenceS)
  requireAtLeast('peak demand', { value: rates.peakPerS, min: 0 })
  if (rates.meanPerS !== null) requireAtLeast('mean demand', { value: rates.meanPerS, min: 0 })
  const burst = rates.form === 'job' ? 1 : demand.burstFactor
  return { ...rates, sizedForPerS: rates.peakPerS * burst }
}

function unscaledRates(demand: Demand, residenceS: number): Omit<DemandRates, 'sizedForPerS'> {
  const { peakRequestsPerS, meanRequestsPerS, users, thinkTimeS, hourlyRequestsPerS, job } = demand
  if (peakRequestsPerS !== null) {
    return { form: 'rates', peakPerS: peakRequestsPerS, meanPerS: meanRequestsPerS }
  }
  if (hourlyRequestsPerS !== null) {
    const total = hourlyRequestsPerS.reduce((sum, rate) => sum + rate, 0)
    const meanPerS = total / Math.max(1, hourlyRequestsPerS.length)
    return { form: 'hourly', peakPerS: Math.max(0, ...hourlyRequestsPerS), meanPerS }
  }
  if (users !== null) {
    const cycleS = residenceS + (thinkTimeS ?? 0)
    if (!(cycleS > 0)) throw new RangeError(`residence and think time must be positive, got ${cycleS}`)
    return { form: 'users', peakPerS: users / cycleS, meanPerS: meanRequestsPerS }
  }
  if (job !== null) {
    if (!(job.deadlineS > 0)) throw new RangeError(`deadlineS must be positive, got ${job.deadlineS}`)
    const ratePerS = job.requests / job.deadlineS
    return { form: 'job', peakPerS: ratePerS, meanPerS: ratePerS }
  }
  throw new RangeError('demand needs a peak, hourly rates, users or a job')
}

function requireAtLeast(
  name: string,
  { value, min }: { readonly value: number; readonly min: number },
): void {
  if (!(value >= min && value < Infinity))
    throw new RangeError(`${name} must be at least ${min}, got ${value}`)
}
