import { lastDueTime, nextDueTimes, scheduleViolations } from '@loadcurve/store/schedule-times'
import { expect, test } from 'vitest'

const berlin = (cron: string) => ({ cron, timeZone: 'Europe/Berlin' })
const after = (iso: string, count: number) => ({ afterMs: Date.parse(iso), count })
const iso = (times: readonly Date[]) => times.map((time) => time.toISOString())

test('schedule times: an instant that the spring change skips is due right after the gap, once', () => {
  // 2026-03-29: 02:00 becomes 03:00. 02:30 exists on the 28th (UTC+1) and the 30th (UTC+2).
  expect(iso(nextDueTimes(berlin('30 2 * * *'), after('2026-03-27T12:00:00Z', 3)))).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
})

test('schedule times: an instant that the autumn change repeats is due once', () => {
  // 2026-10-25: 03:00 becomes 02:00, so 02:30 comes twice.
  const times = nextDueTimes(berlin('30 2 * * *'), after('2026-10-23T12:00:00Z', 4))
  expect(iso(times)).toEqual([
    '2026-10-24T00:30:00.000Z',
    expect.stringMatching(/^2026-10-25T0[01]:30:00.000Z$/),
    '2026-10-26T01:30:00.000Z',
    '2026-10-27T01:30:00.000Z',
  ])
})

test('schedule times: nights keep their local hour across both changes of a year', () => {
  const nights = nextDueTimes(berlin('0 4 * * *'), after('2026-01-01T00:00:00Z', 365))
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    hour: '2-digit',
    minute: '2-digit',
  })
  expect(new Set(nights.map((night) => local.format(night)))).toEqual(new Set(['04:00']))
})

test('schedule times: the last due instant is the one that the next one of before it was', () => {
  const everySecond = { cron: '* * * * * *', timeZone: 'UTC' }
  const now = Date.parse('2026-05-01T10:00:00.000Z')
  expect(lastDueTime(everySecond, now).getTime()).toBe(now)
  expect(lastDueTime(everySecond, now + 999).getTime()).toBe(now)
  expect(nextDueTimes(everySecond, { afterMs: now, count: 2 }).map((time) => time.getTime() - now)).toEqual([
    1000, 2000,
  ])
})

test('schedule violations: each fault is named with its path', () => {
  expect(scheduleViolations(berlin('0 4 * * *'))).toEqual([])
  expect(
    scheduleViolations({ cron: '61 4 * * *', timeZone: 'Mars/Olympus' }).map(({ path }) => path),
  ).toEqual(['/timeZone', '/cron'])
  for (const cron of ['', 'daily', '* * * *', '* * * * * * *', '0 0 30 2 *', '0 25 * * *']) {
    expect(scheduleViolations(berlin(cron)), cron).toHaveLength(1)
  }
})
