import { classesFleet } from '@loadcurve/core/capacity/classes-fleet'
import type { ClassesAnswer } from '@loadcurve/core/capacity/recommendation'
import { expect, test } from 'vitest'
import { FIXED } from './law-fixture.ts'

const one = (peakRequestsPerS: number, outputTokens: number) => ({
  name: 'c',
  peakRequestsPerS,
  meanRequestsPerS: peakRequestsPerS / 2,
  inputTokens: FIXED(1000),
  outputTokens: FIXED(outputTokens),
  slo: [],
})
const pool = (replicas: number | null) => ({
  name: 'c',
  batch: 8,
  requestsPerS: 3,
  replicas,
  gpus: replicas === null ? null : 2 * replicas,
  refused: null,
})
const answer: ClassesAnswer = {
  advice: 'share',
  adviceInWords: 'Share.',
  shared: { requestsPerS: 4, replicas: 6, gpus: 12 },
  pools: [pool(4), pool(4)],
}
const question = {
  classes: [one(15, 100), one(5, 300)],
  answer,
  burstFactor: 1,
  spareReplicas: 1,
  successFraction: 1,
  purchase: {
    gpusPerReplica: 2,
    gpusPerNode: null,
    failureDomain: 'replica',
    pricePerGpuHour: 3,
    priceDate: null,
    apiPrice: null,
  },
} as const

test('classes fleet: the advised way is the fleet, and tokens are averaged by the peaks', () => {
  const shared = classesFleet(question)
  expect(shared).toMatchObject({
    replicas: 6,
    gpus: 12,
    spares: 1,
    requestsPerSPerReplica: 4,
    costPerHour: 36,
  })
  // 15 of 20 answers have 100 tokens, 5 have 300: 150 on average.
  expect(shared?.costPerMillionOutputTokens.atPeak).toBeCloseTo((1e6 * 36) / (20 * 3600 * 150), 9)
  expect(shared?.demand).toEqual({ peakRequestsPerS: 20, meanRequestsPerS: 10, sizedForRequestsPerS: 20 })
  expect(shared?.classes).toBe(answer)
})

test('classes fleet: pools add up, each with its spares', () => {
  const split = classesFleet({ ...question, answer: { ...answer, advice: 'split' } })
  expect(split).toMatchObject({ replicas: 8, gpus: 16, spares: 2 })
  const broken = { ...answer, advice: 'split', pools: [pool(4), pool(null)] } as const
  expect(classesFleet({ ...question, answer: broken })).toBeNull()
})

test('classes fleet: no price, no cost; no traffic, nothing', () => {
  const free = { ...question, purchase: { ...question.purchase, pricePerGpuHour: null } }
  expect(classesFleet(free)).toMatchObject({ replicas: 6, costPerHour: null, breakEven: null })
})
