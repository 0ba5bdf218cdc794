import type { CodeText } from '../codes.ts'

/** Why a sweep ended. */
export const STOP_CODES: Readonly<Record<string, CodeText>> = {
  'sweep-complete': {
    meaning: 'Every level of the plan was measured.',
    next: 'Read the recommendation.',
  },
  'steps-max': {
    meaning: 'The sweep reached the largest number of steps that a run may have.',
    next: 'Narrow the range of levels, or split the plan.',
  },
  'budget-requests': {
    meaning: 'The plan’s budget of requests is used up.',
    next: 'Raise limits.maxRequests, or measure fewer levels.',
  },
  'budget-output-tokens': {
    meaning: 'The plan’s budget of output tokens is used up.',
    next: 'Raise limits.maxOutputTokens, or measure fewer levels.',
  },
  'budget-duration': {
    meaning: 'The plan’s budget of time is used up.',
    next: 'Raise limits.maxDurationS, or measure fewer levels.',
  },
}
