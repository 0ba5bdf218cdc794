import { expect, test } from 'vitest'
import {
  DeadlineSweep,
  type Deadlines,
  type PassedDeadline,
  passedDeadline,
  type Waiting,
} from '../../src/target/deadlines.ts'

const DEADLINES: Deadlines = {
  connectMs: 10,
  firstByteMs: 20,
  betweenEventsMs: 30,
  totalMs: 100,
  lingerMs: 5,
  lingerDoneMs: 2,
}
const NOTHING: Waiting = {
  dispatchedAtMs: 0,
  sentAtMs: null,
  firstByteAtMs: null,
  lastByteAtMs: null,
  completeAtMs: null,
  done: false,
}

const rows: [fact: string, waiting: Partial<Waiting>, nowMs: number, passed: PassedDeadline | null][] = [
  ['not connected in time', {}, 11, 'connect_timeout'],
  ['at the deadline it is not passed', {}, 10, null],
  ['sent, and the connect deadline is over', { sentAtMs: 9 }, 29, null],
  ['no first byte in time', { sentAtMs: 9 }, 30, 'first_byte_timeout'],
  ['bytes keep it alive', { sentAtMs: 0, firstByteAtMs: 15, lastByteAtMs: 50 }, 80, null],
  ['silence after a byte', { sentAtMs: 0, firstByteAtMs: 15, lastByteAtMs: 50 }, 81, 'idle_timeout'],
  [
    'the total is passed though bytes come',
    { sentAtMs: 0, firstByteAtMs: 15, lastByteAtMs: 100 },
    101,
    'total_timeout',
  ],
  [
    'complete: only the connection lingers',
    { sentAtMs: 0, firstByteAtMs: 15, lastByteAtMs: 100, completeAtMs: 100 },
    105,
    null,
  ],
  [
    'complete, and lingered long enough',
    { sentAtMs: 0, firstByteAtMs: 15, lastByteAtMs: 100, completeAtMs: 100 },
    106,
    'linger_over',
  ],
]
test('deadlines: after [DONE] the wait is a shorter one', () => {
  const waiting = {
    ...NOTHING,
    sentAtMs: 0,
    firstByteAtMs: 15,
    lastByteAtMs: 100,
    completeAtMs: 100,
    done: true,
  }
  expect([102, 103].map((nowMs) => passedDeadline(waiting, { ...DEADLINES, totalMs: 1000 }, nowMs))).toEqual([
    null,
    'linger_over',
  ])
})

test.each(rows)('deadlines: %s', (_fact, waiting, nowMs, passed) => {
  expect(passedDeadline({ ...NOTHING, ...waiting }, DEADLINES, nowMs)).toBe(passed)
})

test('deadlines: the sweep tells each request that passed one, and no other', () => {
  let nowMs = 0
  const sweep = new DeadlineSweep(DEADLINES, () => nowMs)
  const told: string[] = []
  const request = (name: string, waiting: Partial<Waiting>) => {
    const one = {
      ...NOTHING,
      ...waiting,
      onDeadline: (passed: PassedDeadline) => void told.push(`${name} ${passed}`),
    }
    sweep.add(one)
    return one
  }
  const requests = [
    request('a', {}),
    request('b', { sentAtMs: 0 }),
    request('c', { sentAtMs: 0, firstByteAtMs: 1, lastByteAtMs: 15 }),
  ]
  nowMs = 15
  sweep.sweep()
  expect(told).toEqual(['a connect_timeout'])
  nowMs = 21
  sweep.sweep()
  expect(told.slice(1)).toEqual(['a connect_timeout', 'b first_byte_timeout'])
  for (const one of requests) sweep.delete(one)
  expect(sweep.size).toBe(0)
})
