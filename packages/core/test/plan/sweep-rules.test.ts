import { expect, test } from 'vitest'
import { faultsOf } from './faults.ts'

const batch = (fields: object, target = {}) =>
  faultsOf({ target, sweep: { concurrency: [4], batch: fields } }).map((fault) =>
    fault.replace('sweep.batch.', ''),
  )
const urls = { controlUrl: 'http://127.0.0.1:9/', readyUrl: 'http://127.0.0.1:9/' }

test('sweep rules: batch control names everything that it needs', () => {
  expect(batch({ levels: [4] })).toEqual(['levels: batch-levels-unused'])
  expect(batch({ control: 'server' })).toEqual([
    'levels: batch-levels-missing',
    'controlUrl: control-url-missing',
    'readyUrl: ready-url-missing',
  ])
  expect(batch({ control: 'server', levels: [4], ...urls })).toEqual([])
  expect(batch({ control: 'server', levels: [4], ...urls, controlBody: { limit: 4 } })).toEqual([
    'controlBody: placeholder-missing',
  ])
  expect(batch({ control: 'request', levels: [4] })).toEqual(['control: batch-needs-completions'])
  expect(batch({ control: 'request', levels: [4] }, { endpoint: 'completions' })).toEqual([])
})

test('sweep rules: a grid has levels', () => {
  expect(faultsOf({ sweep: { concurrency: [], ratesPerS: [] } })).toEqual(['sweep.concurrency: no-levels'])
  expect(faultsOf({ sweep: { concurrency: [], ratesPerS: [0.5] } })).toEqual([])
  expect(faultsOf({ sweep: { mode: 'adaptive' } })).toEqual([])
})

test('sweep rules: bounds are in order', () => {
  expect(faultsOf({ sweep: { step: { minDurationS: 301 } } })).toEqual([
    'sweep.step.minDurationS: bounds-inverted',
  ])
  expect(faultsOf({ sweep: { mode: 'adaptive', adaptive: { start: 9, concurrencyMax: 8 } } })).toEqual([
    'sweep.adaptive.start: bounds-inverted',
  ])
})

test('sweep rules: a budget that the shortest run breaks is impossible', () => {
  // 3 levels of at least 60 requests, 10 s and 256 tokens a request: 180 requests, 30 s, 46,080 tokens.
  const sweep = { concurrency: [1, 2, 4] }
  expect(
    faultsOf({ sweep, limits: { maxRequests: 180, maxDurationS: 30, maxOutputTokens: 46_080 } }),
  ).toEqual([])
  expect(
    faultsOf({ sweep, limits: { maxRequests: 179, maxDurationS: 29, maxOutputTokens: 46_079 } }),
  ).toEqual([
    'limits.maxRequests: budget-impossible',
    'limits.maxOutputTokens: budget-impossible',
    'limits.maxDurationS: budget-impossible',
  ])
})
