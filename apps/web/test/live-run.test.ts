import { expect, test } from 'vitest'
import { afterEvent, type LiveRun, NOTHING_YET } from '../src/live-run.ts'

type Event = readonly [Parameters<typeof afterEvent>[1], Record<string, unknown>]
const replay = (events: readonly Event[]): LiveRun =>
  events.reduce((run, [kind, data]) => afterEvent(run, kind, data), NOTHING_YET)

const level = { batch: null, concurrency: 8, ratePerS: null }
const begun: Event = ['step-started', { step: 0, attempt: 1, purpose: 'grid', level }]

test('live run: a step is shown from its start to its end', () => {
  const running = replay([
    ['run-started', {}],
    begun,
    ['step-progress', { step: 0, attempt: 1, phase: 'window', inFlight: 8 }],
  ])
  expect(running).toMatchObject({ state: 'running', isOver: false })
  expect(running.steps).toMatchObject([
    { level, state: 'running', progress: { phase: 'window', inFlight: 8 } },
  ])
  const over = afterEvent(running, 'step-finished', { step: 0, attempt: 1 })
  expect(over.steps[0]?.state).toBe('finished')
})

test('live run: a repeated attempt stands beside the one that was abandoned', () => {
  const run = replay([
    begun,
    ['step-abandoned', { step: 0, attempt: 1, message: 'worker gone' }],
    ['step-started', { step: 0, attempt: 2, purpose: 'grid', level }],
  ])
  expect(run.steps.map(({ attempt, state }) => [attempt, state])).toEqual([
    [1, 'abandoned'],
    [2, 'running'],
  ])
})

test('live run: an event that comes twice changes nothing', () => {
  const once = replay([['run-started', {}], begun])
  expect(replay([['run-started', {}], begun, begun])).toEqual(once)
})

test('live run: no worker is a notice until one begins', () => {
  const waiting = replay([['no-worker-connected', {}]])
  expect(waiting.notice).toContain('No worker')
  expect(afterEvent(waiting, 'run-started', {}).notice).toBeNull()
})

test('live run: ends in the state that the last event names', () => {
  expect(replay([['run-cancelled', { message: null }]])).toMatchObject({ state: 'cancelled', isOver: true })
  expect(replay([['run-failed', { message: 'unreachable' }]])).toMatchObject({
    state: 'failed',
    notice: 'unreachable',
  })
})
