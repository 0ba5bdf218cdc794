import { type Demand, demandRates, peakDemand } from '@loadcurve/core/capacity/demand'
import { describe, expect, test } from 'vitest'

const none: Demand = { ...peakDemand(0), peakRequestsPerS: null }

describe('demand', () => {
  test('rates: the burst factor raises what is bought, not the peak', () => {
    const demand = { ...peakDemand(40), meanRequestsPerS: 15, burstFactor: 1.3 }
    expect(demandRates(demand, 5)).toEqual({ form: 'rates', peakPerS: 40, meanPerS: 15, sizedForPerS: 52 })
  })

  test('hourly: the busiest hour and the mean of the day', () => {
    const hourlyRequestsPerS = Array.from({ length: 24 }, (_, hour) => (hour < 12 ? 2 : 6))
    expect(demandRates({ ...none, hourlyRequestsPerS }, 5)).toMatchObject({ peakPerS: 6, meanPerS: 4 })
  })

  test('users: N / (R + Z), by Little’s law', () => {
    expect(demandRates({ ...none, users: 300, thinkTimeS: 25 }, 5)).toMatchObject({
      form: 'users',
      peakPerS: 10,
      meanPerS: null,
    })
  })

  test('job: the rate that just makes the deadline, without bursts', () => {
    const demand = { ...none, job: { requests: 36_000, deadlineS: 7200 }, burstFactor: 1.5 }
    expect(demandRates(demand, 5)).toEqual({ form: 'job', peakPerS: 5, meanPerS: 5, sizedForPerS: 5 })
  })

  test.each([
    [{ ...peakDemand(-1) }, 'peak demand must be at least 0, got -1'],
    [{ ...peakDemand(1), burstFactor: 0.9 }, 'burstFactor must be at least 1, got 0.9'],
    [{ ...peakDemand(1), spareReplicas: -1 }, 'spareReplicas must be at least 0, got -1'],
    [{ ...none, job: { requests: 5, deadlineS: 0 } }, 'deadlineS must be positive, got 0'],
    [none, 'demand needs a peak, hourly rates, users or a job'],
  ])('%j is refused with its value', (demand, message) => {
    expect(() => demandRates(demand, 5)).toThrow(message)
  })
})
