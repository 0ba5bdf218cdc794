import type { ApiEvent } from 'loadcurve/client/api-client'
import { RunProgress } from 'loadcurve/client/run-progress'
import type { CommandContext } from 'loadcurve/context'
import { expect, test } from 'vitest'

function watch(isTerminal: boolean) {
  const written: string[] = []
  const display = { colour: isTerminal, unicode: isTerminal, columns: 100 }
  const context = {
    display,
    stderr: { write: (text: string) => written.push(text) },
  } as unknown as CommandContext
  const progress = new RunProgress(context)
  const see = (kind: string, data: ApiEvent['data'] = {}) => progress.see({ id: 1, kind, data })
  return { see, text: () => written.join('') }
}

const started = {
  step: 2,
  attempt: 1,
  purpose: 'grid',
  level: { batch: null, concurrency: 8, ratePerS: null },
}
const halfway = { phase: 'window', measuredEnded: 10, measuredStarted: 20, inFlight: 8, failed: 0 }
const finished = {
  ...started,
  summary: {
    requests: { ok: 58, failed: 2 },
    outputTokensPerS: 412.34,
    latency: { ttft: { p95: 71.27 }, tpot: { p95: 19.44 } },
    refusals: ['error-rate'],
  },
}

test('run progress: outside a terminal one line a step, when it is over', () => {
  const { see, text } = watch(false)
  see('step-started', started)
  see('step-progress', halfway)
  expect(text()).toBe('')
  see('step-finished', finished)
  expect(text()).toMatch(
    /^step 3 +concurrency 8 +grid +58 ok, 2 failed +412 tok\/s +TTFT p95 71.3 ms +TPOT p95 19.4 ms +not used: error-rate\n$/,
  )
})

test('run progress: on a terminal a bar is rewritten in place, and the line stays when the step is over', () => {
  const { see, text } = watch(true)
  see('step-started', started)
  see('step-progress', halfway)
  expect(text()).toContain('█'.repeat(12) + '░'.repeat(12))
  expect(text()).not.toContain('\n')
  see('step-finished', finished)
  expect(text().split('\n')).toHaveLength(2)
})

test('run progress: what a person must know is said in words', () => {
  const { see, text } = watch(false)
  see('run-waiting', { runsAhead: 2 })
  see('no-worker-connected')
  see('step-started', { ...started, attempt: 2 })
  see('step-abandoned', { ...started, reason: 'conductor-lost', message: null })
  see('preflight', { findings: [{ ok: true }, { ok: false, message: 'Odd.', whatToDo: 'Mend it.' }] })
  see('run-failed', { reason: 'connection_refused', message: 'nothing listens there' })
  expect(text()).toBe(
    [
      'waiting for 2 earlier runs',
      'no worker is connected: the run waits until one is ("loadcurve up" starts one)',
      'step 3   concurrency 8             grid    , attempt 2  interrupted, will be repeated: conductor-lost',
      'note: Odd. Mend it.',
      'run failed: connection_refused: nothing listens there',
      '',
    ].join('\n'),
  )
})
