import { mergedGapStatistics } from '@loadcurve/core/metrics/gap-histogram'
import { expect, test } from 'vitest'
import { Recorder } from '../src/recorder.ts'
import { StepWindow } from '../src/step-window.ts'
import type { ExchangeResult } from '../src/target/result.ts'

const asked = { inputTokens: 5, outputTokens: 3, sequences: 1 }

function openWindow(): StepWindow {
  return new StepWindow({
    warmup: { durationMs: 100, endedMin: 0, maxMs: 100 },
    durationMs: 1000,
    requestsMin: 0,
    maxMs: 1000,
    drainMaxMs: 1000,
  })
}

const result = (changes: Partial<ExchangeResult>): ExchangeResult =>
  ({ outcome: 'ok', sentAtMs: 110, firstContentAtMs: 150, text: 'secret', ...changes }) as ExchangeResult

test('recorder: a gap that stands for several tokens is divided by them, and counts once', () => {
  const window = openWindow()
  const recorder = new Recorder(window, 'dispatched')
  const record = recorder.follow({ index: 0, phase: 'window', scheduledAtMs: 105 }, asked, 106)
  record.onContentEvent(150, 1)
  record.onContentEvent(190, 4)
  record.onContentEvent(210, 1)
  const gaps = mergedGapStatistics([recorder.gapHistogram()])
  expect(gaps.count).toBe(2)
  expect(gaps.percentileMs(1)).toBeCloseTo(10, 1)
  expect(gaps.percentileMs(100)).toBeCloseTo(20, 1)
  expect(recorder.gapsAreTokenGaps).toBe(true)
  record.onContentEvent(230, null)
  expect(recorder.gapsAreTokenGaps).toBe(false)
})

test('recorder: warm-up events count into the window when they arrive in it, their gaps do not', () => {
  const recorder = new Recorder(openWindow(), 'dispatched')
  const record = recorder.follow({ index: 0, phase: 'warmup', scheduledAtMs: 0 }, asked, 0)
  for (const atMs of [90, 110, 130]) record.onContentEvent(atMs, 1)
  expect(recorder.contentEvents).toBe(3)
  expect(recorder.contentEventsInWindow).toBe(2)
  expect(recorder.contentEventBins(250).counts).toEqual([2, 0])
  expect(mergedGapStatistics([recorder.gapHistogram()]).count).toBe(0)
  expect(record.ended(result({}), false).contentEventsInWindow).toBe(2)
})

test('recorder: the skew is counted from the schedule in open loop, from the dispatch in closed loop', () => {
  for (const [from, skewMs] of [
    ['scheduled', 8],
    ['dispatched', 3],
  ] as const) {
    const recorder = new Recorder(openWindow(), from)
    const dispatch = { index: 0, phase: 'window' as const, scheduledAtMs: 102 }
    recorder.follow(dispatch, asked, 107).ended(result({ sentAtMs: 110 }), false)
    expect(recorder.skewP99Ms).toBeGreaterThanOrEqual(skewMs)
    expect(recorder.skewP99Ms).toBeLessThan(skewMs * 1.03)
  }
})

test('recorder: what the drain limit cuts is a timeout, and a sample holds no text of the answer', () => {
  const recorder = new Recorder(openWindow(), 'dispatched')
  const record = recorder.follow({ index: 3, phase: 'window', scheduledAtMs: 105 }, asked, 106)
  const sample = record.ended(result({ outcome: 'cancelled' }), true)
  expect(sample).toMatchObject({ index: 3, outcome: 'timeout', errorCode: 'drain_limit' })
  expect(JSON.stringify(sample)).not.toContain('secret')
  expect(recorder.takeSamples()).toEqual([sample])
  expect(recorder.takeSamples()).toEqual([])
})

test('recorder: an answer that is one JSON body has an end and no first token', () => {
  const recorder = new Recorder(openWindow(), 'dispatched')
  const record = recorder.follow({ index: 0, phase: 'window', scheduledAtMs: 105 }, asked, 106)
  const sample = record.ended(result({ whole: true, firstVisibleAtMs: 150, lastContentAtMs: 150 }), false)
  expect(sample).toMatchObject({ firstContentAtMs: null, firstVisibleAtMs: null, lastContentAtMs: 150 })
})
