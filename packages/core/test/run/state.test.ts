import { isOver, RUN_STATES } from '@loadcurve/core/run/state'
import { expect, test } from 'vitest'

test('run state: waiting and running are not over, every other state is', () => {
  expect(RUN_STATES.filter((state) => !isOver(state))).toEqual(['waiting', 'running'])
})
