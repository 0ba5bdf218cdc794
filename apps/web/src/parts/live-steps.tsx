/** The steps of a run while it goes on: what is measured now, how far it is, and what is done. */
import { LAG_MAX_FRACTION_OF_TTFT, LAG_MAX_MS } from '@loadcurve/core/metrics/generator-health'
import type { ShardProgress } from '@loadcurve/core/run/progress'
import { numberText, UNKNOWN, unitText } from '@loadcurve/report/format'
import type { ComponentChildren } from 'preact'
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
        <Figure name="Throughput" value={unitText(progress?.contentEventsPerS, 'events/s')}>
          {unitText(progress?.endedPerS, 'requests/s')} completed
        </Figure>
        <Figure name="TTFT p50" value={unitText(progress?.ttftP50Ms, 'ms')}>
          the latest requests
        </Figure>
        <Figure name="TPOT p50" value={unitText(progress?.tpotP50Ms, 'ms')}>
          the latest requests
        </Figure>
        <Figure name="Measured requests" value={measured(step)} />
        <Figure name="Failed" value={numberText(progress?.failed)}>
          {(progress?.dropped ?? 0) > 0 ? `${numberText(progress?.dropped)} dropped` : null}
        </Figure>
        <Figure name="Generator lag p99" value={unitText(progress?.generatorLagP99Ms, 'ms')}>
          {generatorHealth(progress)}
        </Figure>
      </dl>
    </section>
  )
}

function measured({ progress }: LiveStep): string {
  if (progress === null) return UNKNOWN
  return `${numberText(progress.measuredEnded)} of ${numberText(progress.measuredStarted)}`
}

// The same limit by which the finished step will be judged, on the figures so far.
function generatorHealth(progress: ShardProgress | null): string | null {
  if (progress === null || progress.generatorLagP99Ms === null) return null
  const limitMs = Math.min(
    LAG_MAX_MS,
    LAG_MAX_FRACTION_OF_TTFT * (progress.ttftP50Ms ?? Number.POSITIVE_INFINITY),
  )
  return progress.generatorLagP99Ms <= limitMs
    ? `healthy: below ${numberText(limitMs)} ms`
    : `too late: the limit is ${numberText(limitMs)} ms`
}

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly children?: ComponentChildren
}

function Figure({ name, value, children = null }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {children === null ? null : <small>{children}</small>}
      </dd>
    </div>
  )
}
