import { isLastEvent, RUN_EVENT_KINDS } from '@loadcurve/core/run/event'
import { expect, test } from 'vitest'

test('run event: exactly one kind of event for each way in which a run ends closes its history', () => {
  expect(RUN_EVENT_KINDS.filter(isLastEvent)).toEqual(['run-finished', 'run-failed', 'run-cancelled'])
})
