import { expect, test } from 'vitest'
import type { Violation } from '../../src/errors.ts'
import { type FitOptionTexts, readFitOptions } from '../../src/fit/fit-options.ts'

function read(texts: Partial<FitOptionTexts>) {
  const violations: Violation[] = []
  const options = readFitOptions(texts, violations)
  return { options, complaints: violations.map(({ path, message }) => `${path}: ${message}`) }
}

test('fit options: without any, nothing is assumed but seed 1', () => {
  expect(read({})).toEqual({
    complaints: [],
    options: {
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
      curve: null,
      columns: [],
      seed: 1,
      json: false,
    },
  })
})

test('fit options: all of them', () => {
  const { options, complaints } = read({
    inputTokens: '8192',
    outputTokens: '1024',
    slo: ['ttft:p95<800', 'tpot:mean<40'],
    experts: '256',
    expertsPerToken: '8',
    captureSizes: '1,2,4,16,8',
    rates: '0.5,1,2',
    demand: '40',
    gpusPerReplica: '4',
    price: '2.95',
    curve: 'c001',
    column: ['ttft_ms=first token'],
    seed: '-7',
    json: true,
  })
  expect(complaints).toEqual([])
  expect(options).toMatchObject({
    inputTokens: 8192,
    outputTokens: 1024,
    slo: [
      { metric: 'ttft', percentile: 95, maxMs: 800 },
      { metric: 'tpot', percentile: 'mean', maxMs: 40 },
    ],
    experts: { total: 256, perToken: 8 },
    captureSizes: [1, 2, 4, 16, 8],
    ratesPerS: [0.5, 1, 2],
    demandPerS: 40,
    gpusPerReplica: 4,
    pricePerGpuHour: 2.95,
    curve: 'c001',
    columns: [{ name: 'ttft_ms', header: 'first token' }],
    seed: -7,
    json: true,
  })
})

test('fit options: everything that is wrong is told at once', () => {
  const { complaints } = read({
    inputTokens: '-1',
    outputTokens: '1',
    slo: ['ttft:p95<800', 'fast', 'ttft:p95<900'],
    experts: '8',
    expertsPerToken: '9',
    rates: '0,1',
    demand: '0',
    gpusPerReplica: '0',
    price: '-3',
    column: ['ttft'],
    seed: '1.5',
  })
  expect(complaints.map((line) => line.split(':')[0])).toEqual([
    '--input-tokens',
    '--output-tokens',
    '--slo',
    '--slo',
    '--experts-per-token',
    '--rates',
    '--demand',
    '--gpus-per-replica',
    '--price',
    '--column',
    '--seed',
  ])
})

test('fit options: experts come in pairs, and rates are bounded', () => {
  expect(read({ experts: '8' }).complaints[0]).toContain('--experts-per-token: is needed too')
  expect(read({ expertsPerToken: '2' }).complaints[0]).toContain('--experts: is needed too')
  const rates = Array.from({ length: 101 }, (_, index) => index + 1).join(',')
  expect(read({ rates })).toMatchObject({
    complaints: ['--rates: takes at most 100 rates, got 101'],
    options: { ratesPerS: [] },
  })
})

test('fit options: a GPU or model that is not in the catalogue is refused, with what may have been meant', () => {
  expect(read({ gpu: 'h100 sxm', model: 'meta-llama/Llama-3.1-8B-Instruct' }).complaints).toEqual([])
  expect(read({ gpu: 'H100-SMX', model: 'Lama-3.1-8B' }).complaints).toEqual([
    '--gpu: "H100-SMX" is no GPU of the catalogue. Did you mean H100-SXM or H200-SXM?',
    '--model: "Lama-3.1-8B" is no model of the catalogue. Did you mean Llama-3.1-8B or Llama-3.1-70B?',
  ])
  expect(read({ gpu: 'abacus' }).complaints[0]).toContain('Known are A100-40GB-SXM, ')
})

test('fit options: capture sizes are a list, or none', () => {
  expect(read({ captureSizes: 'none' }).options.captureSizes).toEqual([])
  expect(read({ captureSizes: '8,16' }).options.captureSizes).toEqual([8, 16])
  expect(read({ captureSizes: '8,no,0.5' }).complaints).toHaveLength(2)
  expect(read({ captureSizes: ' ' }).complaints).toEqual([expect.stringContaining('or be "none"')])
})
