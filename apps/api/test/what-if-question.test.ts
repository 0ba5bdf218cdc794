import type { CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import { peakDemand } from '@loadcurve/core/capacity/demand'
import { questionOfTable } from '@loadcurve/core/capacity/table-question'
import { expect, test } from 'vitest'
import { changedQuestion, changeOf } from '../src/what-if-question.ts'

const nothing = {
  inputTokens: null,
  outputTokens: null,
  slo: [],
  experts: null,
  captureSizes: null,
  ratesPerS: [],
  demandPerS: null,
}
const base = questionOfTable([], {
  ...nothing,
  gpu: null,
  gpusPerReplica: null,
  pricePerGpuHour: 3,
  model: null,
  seed: 1,
})
const asked: CapacityQuestion = {
  ...base,
  demand: { ...peakDemand(40), meanRequestsPerS: 10, spareReplicas: 2 },
  traffic: { ...base.traffic, outputTokens: { distribution: 'lognormal', mean: 500, stdev: 50 } },
}

test('what-if question: other means keep their spread, another peak keeps its mean’s share and its spares', () => {
  const before = structuredClone(asked)
  const changed = changedQuestion(
    asked,
    changeOf(asked, { peakRequestsPerS: 80, outputTokens: 250, pricePerGpuHour: 6 }),
  )
  expect(changed.demand).toMatchObject({ peakRequestsPerS: 80, meanRequestsPerS: 20, spareReplicas: 2 })
  expect(changed.traffic.outputTokens).toEqual({ distribution: 'lognormal', mean: 250, stdev: 25 })
  expect(changed.purchase.pricePerGpuHour).toBe(6)
  expect(asked).toEqual(before)
})

test('what-if question: nothing said changes nothing', () => {
  expect(changeOf(asked, {})).toEqual({})
  expect(changedQuestion(asked, {})).toEqual(asked)
})

test('what-if question: a demand where there was none has no mean, no bursts and no spares', () => {
  const { demand } = changedQuestion(base, changeOf(base, { peakRequestsPerS: 5 }))
  expect(demand).toEqual(peakDemand(5))
})
