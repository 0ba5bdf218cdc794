/** Contradictions inside `plan.workload`. */
import type { Plan, PlanLength } from './schema.ts'
import type { Violation } from './violation.ts'

export function lengthRules({ workload }: Plan): Violation[] {
  const found = [
    ...lengthViolations('workload.inputTokens', workload.inputTokens),
    ...lengthViolations('workload.outputTokens', workload.outputTokens),
  ]
  if (workload.dataset === null && workload.sharedPrefixTokens >= workload.inputTokens.mean) {
    found.push({
      path: 'workload.sharedPrefixTokens',
      code: 'prefix-longer-than-prompt',
      message: `The shared prefix (${workload.sharedPrefixTokens}) leaves nothing of a prompt of ${workload.inputTokens.mean} tokens`,
      whatToDo: 'Make the prefix shorter than inputTokens.mean',
    })
  }
  return found
}

/** Bounds of one length distribution; also used for the lengths of a traffic class. */
export function lengthViolations(path: string, { mean, min, max }: PlanLength): Violation[] {
  const low = min ?? 1
  const high = max ?? Number.POSITIVE_INFINITY
  if (low <= mean && mean <= high) return []
  return [
    {
      path,
      code: 'bounds-inverted',
      message: `The mean ${mean} must lie between min ${min ?? 'none'} and max ${max ?? 'none'}`,
      whatToDo: 'Order them min <= mean <= max',
    },
  ]
}

export function arrivalRules({ workload: { arrival } }: Plan): Violation[] {
  const found: Violation[] = []
  const say = (path: string, code: string, message: string, whatToDo: string) =>
    found.push({ path: `workload.arrival.${path}`, code, message, whatToDo })
  const sources = [arrival.trace?.file ?? null, arrival.trace?.arrivals ?? null].filter((one) => one !== null)
  if (arrival.process === 'trace' && sources.length !== 1) {
    say('trace', 'trace-missing', 'A trace needs a file or arrivals, and not both', 'Give one of the two')
  }
  if (arrival.process !== 'trace' && arrival.trace !== null) {
    say(
      'trace',
      'trace-unused',
      `A trace is given, but arrivals are ${arrival.process}`,
      'Set process to trace',
    )
  }
  const instants = (arrival.trace?.arrivals ?? []).map((one) => one.atS)
  const early = instants.findIndex((atS, index) => atS < (instants[index - 1] ?? 0))
  if (early > 0) {
    say(
      `trace.arrivals[${early}].atS`,
      'not-in-order',
      'The arrival is before the one above it',
      'Sort by atS',
    )
  }
  if (instants.length > 0 && instants.at(-1) === instants[0]) {
    say(
      'trace.arrivals',
      'trace-without-time',
      'All arrivals are at one instant',
      'Give instants that differ',
    )
  }
  if (arrival.cv !== 1 && arrival.process !== 'gamma') {
    say(
      'cv',
      'cv-unused',
      `cv has no effect on ${arrival.process} arrivals`,
      'Set process to gamma, or cv to 1',
    )
  }
  if (arrival.process === 'ramp' && arrival.rampFromFraction + arrival.rampToFraction === 0) {
    say('rampToFraction', 'ramp-empty', 'A ramp from 0 to 0 sends nothing', 'Raise one of its ends')
  }
  return found
}

export function taskRules({ workload }: Plan): Violation[] {
  const found: Violation[] = []
  if (workload.failOn.includes('length_cut') && workload.ignoreEos) {
    found.push({
      path: 'workload.failOn',
      code: 'every-request-fails',
      message: 'With ignoreEos every answer ends by its length, so length_cut would fail all of them',
      whatToDo: 'Set ignoreEos to false, or take length_cut out',
    })
  }
  if (workload.failOn.includes('invalid_json') && !workload.expectJson) {
    found.push({
      path: 'workload.failOn',
      code: 'every-request-fails',
      message: 'Invalid JSON fails a request, but no JSON is asked for',
      whatToDo: 'Set expectJson to true, or take invalid_json out',
    })
  }
  if (workload.expectJson && workload.ignoreEos) {
    found.push({
      path: 'workload.ignoreEos',
      code: 'json-without-end',
      message: 'With ignoreEos the server writes on after the JSON value, so no answer is valid',
      whatToDo: 'Set ignoreEos to false',
    })
  }
  return found
}
