import { peakDemand } from '@loadcurve/core/capacity/demand'
import { type FleetQuestion, fleetAnswer } from '@loadcurve/core/capacity/fleet'
import { describe, expect, test } from 'vitest'

const question: FleetQuestion = {
  demand: { ...peakDemand(40), meanRequestsPerS: 15, burstFactor: 1.3, spareReplicas: 1 },
  hardware: { gpusPerReplica: 1, gpusPerNode: null, failureDomain: 'replica' },
  pricePerGpuHour: 2.95,
  priceDate: '2026-05-20',
  apiPrice: null,
  replica: {
    ratePerS: 6.5,
    interval: [6.5, 7.5],
    capacityPerS: 9,
    residenceS: 5,
    inputTokens: 512,
    outputTokens: 256,
    successFraction: 1,
  },
  pooled: () => 7,
}

describe('fleet', () => {
  test('by hand: 52 over 6.5 is 8, and one spare; at the fast end 7 and one', () => {
    const fleet = fleetAnswer(question)
    expect(fleet).toMatchObject({ replicas: 9, gpus: 9, spares: 1, interval: [8, 9], jobHours: null })
    expect(fleet.router).toEqual({ independentQueues: 9, pooledQueue: 8 })
    expect(fleet.demand).toEqual({ peakRequestsPerS: 40, meanRequestsPerS: 15, sizedForRequestsPerS: 52 })
    expect(fleet.costPerHour).toBeCloseTo(9 * 2.95, 12)
    expect(fleet.priceDate).toBe('2026-05-20')
  })

  test('a job runs at the capacity, is done in time, and spares do not help it', () => {
    const job = { requests: 1_000_000, deadlineS: 8 * 3600 }
    const demand = { ...peakDemand(0), peakRequestsPerS: null, job, spareReplicas: 2 }
    const fleet = fleetAnswer({ ...question, demand })
    // 34.72 requests/s over 9 is 4 replicas, which need 10^6 / 36 s.
    expect(fleet).toMatchObject({ replicas: 6, spares: 2, interval: [6, 6] })
    expect(fleet.jobHours).toBeCloseTo(1e6 / (36 * 3600), 9)
    expect(fleet.jobHours).toBeLessThan(8)
  })

  test('users: the rate that they send is what is bought for', () => {
    const demand = { ...peakDemand(0), peakRequestsPerS: null, users: 390, thinkTimeS: 25 }
    expect(fleetAnswer({ ...question, demand }).replicas).toBe(2)
  })

  test('no demand: nothing to buy, and no cost per token', () => {
    const fleet = fleetAnswer({ ...question, demand: peakDemand(0) })
    expect(fleet).toMatchObject({ replicas: 0, gpus: 0, costPerHour: 0, costPerSuccessfulRequest: null })
    expect(fleet.costPerMillionOutputTokens.atPeak).toBeNull()
  })

  test('no price: sizes without costs', () => {
    const fleet = fleetAnswer({ ...question, pricePerGpuHour: null })
    expect(fleet).toMatchObject({ replicas: 9, costPerHour: null, breakEven: null })
  })
})
