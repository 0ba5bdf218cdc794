/**
 * When a schedule is due: pure functions of a cron expression, a time zone and an instant.
 *
 * Daylight saving: an instant that the spring change skips is due right after the gap (02:30 becomes 03:30), and one
 * that the autumn change repeats is due once.
 */
import { CronExpressionParser } from 'cron-parser'

export interface Schedule {
  /** Five fields (minute hour day month weekday) or six (second first). */
  readonly cron: string
  /** IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string
}

/** What is wrong with a schedule, in words; empty when nothing is. */
export function scheduleViolations({
  cron,
  timeZone,
}: Schedule): { readonly path: string; readonly message: string }[] {
  const violations = []
  if (!isTimeZone(timeZone)) {
    violations.push({
      path: '/timeZone',
      message: `"${timeZone}" is not an IANA time zone, such as Europe/Berlin`,
    })
  }
  const fault = cronFault(cron)
  if (fault !== null)
    violations.push({ path: '/cron', message: `"${cron}" is not a cron expression: ${fault}` })
  return violations
}

/**
 * The next instants at which a schedule is due, all later than `afterMs`.
 *
 * @param afterMs milliseconds since 1970, UTC
 * @throws Error when the schedule is not valid; ask {@link scheduleViolations} first
 */
export function nextDueTimes(
  schedule: Schedule,
  { afterMs, count }: { afterMs: number; count: number },
): Date[] {
  const expression = parse(schedule, afterMs)
  return Array.from({ length: count }, () => expression.next().toDate())
}

/** The last instant at which a schedule was due, not later than `atMs`. */
export function lastDueTime(schedule: Schedule, atMs: number): Date {
  return parse(schedule, atMs + 1)
    .prev()
    .toDate()
}

function parse({ cron, timeZone }: Schedule, currentMs: number) {
  return CronExpressionParser.parse(cron, { tz: timeZone, currentDate: new Date(currentMs) })
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

function cronFault(cron: string): string | null {
  const fields = cron.trim().split(/\s+/).length
  if (fields !== 5 && fields !== 6) return `it has ${fields} fields and needs 5 or 6`
  try {
    // An expression such as 30 February parses and is never due.
    CronExpressionParser.parse(cron, { tz: 'UTC' }).next()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
