/** The steps of a run while it goes on: what is measured now, how far it is, and what is done. */
import { numberText, UNKNOWN, unitText } from '@loadcurve/report/format'
import type { LiveRun, LiveStep } from '../live-run.ts'
import { levelName } from './level-name.ts'

export function LiveSteps({ live }: { live: LiveRun }) {
  if (live.steps.length === 0) return <p class="card">Nothing is measured yet.</p>
  const now = live.steps.filter(({ state }) => state === 'running')
  const done = live.steps.filter(({ state }) => state !== 'running')
  return (
    <>
      {now.map((step) => (
        <CurrentStep key={`${step.step}-${step.attempt}`} step={step} />
      ))}
      {done.length === 0 ? null : (
        <section class="card" aria-labelledby="done">
          <h2 id="done">Done</h2>
          <ul class="notes">
            {done.map((step) => (
              <li key={`${step.step}-${step.attempt}`}>
                {levelName(step.level)} ({step.purpose}): {step.state}
                {step.attempt > 1 ? `, attempt ${step.attempt}` : ''}
                {step.message === null ? '' : `, ${step.message}`}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const PHASE_WORDS = {
  warmup: 'Warming up',
  window: 'Measuring',
  tail: 'Waiting for the last answers',
} as const

function CurrentStep({ step }: { step: LiveStep }) {
  const { progress } = step
  return (
    <section class="card" aria-labelledby={`step-${step.step}`}>
      <h2 id={`step-${step.step}`}>
        {levelName(step.level)} <span class="muted">({step.purpose})</span>
      </h2>
      <p class="muted" role="status">
        {progress === null ? 'Getting ready' : PHASE_WORDS[progress.phase]}
        {step.message === null ? '' : `, ${step.message}`}
      </p>
      {progress === null ? <progress aria-label="Progress of the step" /> : null}
      <dl class="answer">
        <Figure name="In flight" value={numberText(progress?.inFlight)} />
        <Figure name="Measured requests" value={measured(step)} />
        <Figure name="Completions" value={unitText(progress?.endedPerS, '/s')} />
        <Figure name="Failed" value={numberText(progress?.failed)} />
      </dl>
    </section>
  )
}

function measured({ progress }: LiveStep): string {
  if (progress === null) return UNKNOWN
  return `${numberText(progress.measuredEnded)} of ${numberText(progress.measuredStarted)}`
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
