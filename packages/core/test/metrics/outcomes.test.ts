import { countOutcomes, errorExamples } from '@loadcurve/core/metrics/outcomes'
import { OUTCOMES } from '@loadcurve/core/metrics/sample'
import { expect, test } from 'vitest'
import { failedAt, sampleOf } from './records.ts'

test('outcomes: every outcome is counted, those that did not happen as 0', () => {
  const counts = countOutcomes([sampleOf(), sampleOf(), sampleOf({ outcome: 'empty' })])
  expect(Object.keys(counts)).toEqual([...OUTCOMES])
  expect(counts).toMatchObject({ ok: 2, empty: 1, timeout: 0 })
})

test('outcomes: the most frequent failures are shown, at most five', () => {
  const failures = Array.from({ length: 21 }, (_, index) =>
    failedAt(0, { errorText: `kind ${Math.floor(Math.sqrt(index))}` }),
  )
  const examples = errorExamples([sampleOf(), ...failures])
  expect(examples).toHaveLength(5)
  expect(examples[0]).toEqual({ outcome: 'http_error', code: null, text: 'kind 3', count: 7 })
})

test('outcomes: a server that numbers its messages does not fill the memory', () => {
  const failures = Array.from({ length: 1_000 }, (_, index) =>
    failedAt(0, { errorCode: 'busy', errorText: `request ${index}` }),
  )
  expect(errorExamples(failures)[0]).toEqual({ outcome: 'http_error', code: 'busy', text: null, count: 800 })
})
