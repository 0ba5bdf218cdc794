import {
  assumesFirstEventTokens,
  e2eMs,
  endedAtMs,
  firstVisibleTokenMs,
  isOk,
  REQUEST_METRICS,
  tpotMs,
  ttftMs,
  ttftScheduledMs,
  validJsonMs,
} from '@loadcurve/core/metrics/request'
import { expect, test } from 'vitest'
import { failedAt, sampleOf } from './records.ts'

test('request: TTFT runs from sent, TTFT from schedule includes what the generator was late', () => {
  const late = sampleOf({ scheduledAtMs: 10, dispatchedAtMs: 40, sentAtMs: 50, firstContentAtMs: 150 })
  expect(ttftMs(late)).toBe(100)
  expect(ttftScheduledMs(late)).toBe(140)
})

test('request: the first visible token is not the first reasoning', () => {
  const reasoning = sampleOf({ firstContentAtMs: 100, firstVisibleAtMs: 900 })
  expect([ttftMs(reasoning), firstVisibleTokenMs(reasoning)]).toEqual([100, 900])
  expect(firstVisibleTokenMs(sampleOf({ firstVisibleAtMs: null }))).toBeNull()
})

test('request: TPOT leaves the first event out, whatever it bundles', () => {
  // 100 ms for 11 tokens, the first event holding 1, 6 or (unknown) 1 of them.
  expect(tpotMs(sampleOf())).toBe(10)
  expect(tpotMs(sampleOf({ firstEventTokens: 6 }))).toBe(20)
  const unknown = sampleOf({ firstEventTokens: null })
  expect(tpotMs(unknown)).toBe(10)
  expect([assumesFirstEventTokens(unknown), assumesFirstEventTokens(sampleOf())]).toEqual([true, false])
})

test('request: TPOT is null, never 0 or infinite, where there is no pace', () => {
  expect(tpotMs(sampleOf({ outputTokens: 1 }))).toBeNull()
  expect(tpotMs(sampleOf({ outputTokens: 4, firstEventTokens: 4 }))).toBeNull()
  expect(tpotMs(sampleOf({ outputTokens: null }))).toBeNull()
  expect(tpotMs(failedAt(0))).toBeNull()
  expect(assumesFirstEventTokens(sampleOf({ outputTokens: 1, firstEventTokens: null }))).toBe(false)
})

test('request: two sequences side by side have the pace of one', () => {
  expect(tpotMs(sampleOf({ sequences: 2, outputTokens: 22 }))).toBe(10)
})

test('request: E2E ends with the last content, not with the close', () => {
  expect(e2eMs(sampleOf({ closedAtMs: 60_000 }))).toBe(200)
  expect(validJsonMs(sampleOf({ validJsonAtMs: 160 }))).toBe(160)
})

test('request: it occupies the server to its last content when it succeeded, else to the close', () => {
  expect(endedAtMs(sampleOf())).toBe(200)
  expect(endedAtMs(sampleOf({ outcome: 'truncated' }))).toBe(205)
  expect(endedAtMs(sampleOf({ outcome: 'timeout', closedAtMs: null }))).toBe(200)
  expect(endedAtMs(sampleOf({ outcome: 'dropped', sentAtMs: null }))).toBeNull()
})

test('request: whatever did not happen is null in every metric', () => {
  const nothing = failedAt(0, { sentAtMs: null, closedAtMs: null })
  for (const metric of Object.values(REQUEST_METRICS)) expect(metric(nothing)).toBeNull()
  expect(isOk(nothing)).toBe(false)
})
