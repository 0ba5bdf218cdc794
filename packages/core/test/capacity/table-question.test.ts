import { questionOfTable, type TableFacts } from '@loadcurve/core/capacity/table-question'
import { expect, test } from 'vitest'

const nothing: TableFacts = {
  inputTokens: null,
  outputTokens: null,
  slo: [],
  experts: null,
  captureSizes: null,
  ratesPerS: [],
  demandPerS: null,
  gpu: null,
  gpusPerReplica: null,
  pricePerGpuHour: null,
  model: null,
  seed: 1,
}

test('table question: what nobody said is not assumed', () => {
  expect(questionOfTable([], nothing)).toMatchObject({
    hardware: null,
    demand: null,
    experts: null,
    probes: [],
    stepTokens: null,
    purchase: { pricePerGpuHour: null, priceDate: null },
  })
})

test('table question: a named model brings its experts, unless they are given', () => {
  // models.csv: 128 experts, 8 per token.
  expect(questionOfTable([], { ...nothing, model: 'Qwen3-30B-A3B' }).experts).toEqual({
    total: 128,
    perToken: 8,
  })
  const given = { total: 64, perToken: 2 }
  expect(questionOfTable([], { ...nothing, model: 'Qwen3-30B-A3B', experts: given }).experts).toEqual(given)
})

test('table question: a demand is a peak without bursts or spares', () => {
  const { demand } = questionOfTable([], { ...nothing, demandPerS: 40 })
  expect(demand).toMatchObject({
    peakRequestsPerS: 40,
    burstFactor: 1,
    spareReplicas: 0,
    meanRequestsPerS: null,
  })
})
