import type { Progress } from '@loadcurve/loadgen/step-order'
import { expect, test } from 'vitest'
import { progressLine, progressText } from '../../src/probe/progress-line.ts'

const progress: Progress = {
  atMs: 1000,
  phase: 'window',
  windowOpenAtMs: 500,
  windowClosedAtMs: null,
  inFlight: 8,
  started: 20,
  ended: 12,
  failed: 0,
  dropped: 0,
  measuredStarted: 10,
  measuredEnded: 4,
  endedPerS: 5.25,
  contentEventsPerS: 399.6,
  ttftP50Ms: 41.2,
  tpotP50Ms: 12.5,
  generatorLagP99Ms: 0.4,
  samples: [],
}

test('progress line: phase, count, in flight, rates, TTFT; failures only when there are some', () => {
  expect(progressText(progress, 40)).toBe('measuring  4/40  8 in flight  5.3 req/s  400 events/s  TTFT 41 ms')
  const failing = { ...progress, phase: 'warmup' as const, ttftP50Ms: null, failed: 3 }
  expect(progressText(failing, 40)).toBe('warming up  4/40  8 in flight  5.3 req/s  400 events/s  3 failed')
})

test('progress line: is written over itself and taken away; without a terminal nothing is written', () => {
  const written: string[] = []
  const line = progressLine({ write: (text) => written.push(text) }, 40)
  line.show(progress)
  line.clear()
  expect(written).toEqual([`\r\u001b[K${progressText(progress, 40)}`, '\r\u001b[K'])
  expect(() => progressLine(null, 40).show(progress)).not.toThrow()
})
