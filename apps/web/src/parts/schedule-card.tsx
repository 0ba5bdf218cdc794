/** The schedule of a plan: set it, see when it fires next and what became of the last firings, delete it. */
import type { ScheduleResource } from '@loadcurve/core/run/resources'
import { useState } from 'preact/hooks'
import type { ApiProblem } from '../api/problem.ts'
import { request } from '../api/request.ts'
import { instant } from '../time.ts'
import { Link } from './link.tsx'
import { asProblem, ProblemAlert, useFetched } from './loaded.tsx'

export function ScheduleCard({ planId }: { planId: string }) {
  const path = `/v1/plans/${planId}/schedule`
  const fetched = useFetched<ScheduleResource>(path)
  const [saved, setSaved] = useState<ScheduleResource | null | undefined>(undefined)
  const missing = fetched.problem?.code === 'schedule-not-found'
  if (fetched.value === null && fetched.problem === null) return null
  const schedule = saved === undefined ? fetched.value : saved
  return (
    <section class="card" aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      {missing ? null : <ProblemAlert problem={fetched.problem} />}
      <ScheduleForm key={schedule?.cron ?? 'none'} path={path} schedule={schedule} changed={setSaved} />
      {schedule === null ? null : <NextRuns schedule={schedule} />}
    </section>
  )
}

interface ScheduleFormProps {
  readonly path: string
  readonly schedule: ScheduleResource | null
  readonly changed: (schedule: ScheduleResource | null) => void
}

function ScheduleForm({ path, schedule, changed }: ScheduleFormProps) {
  const [cron, setCron] = useState(schedule?.cron ?? '30 2 * * *')
  const [timeZone, setTimeZone] = useState(schedule?.timeZone ?? ownTimeZone())
  const { problem, attempt } = useAttempt(changed)
  const save = (event: Event) => {
    event.preventDefault()
    attempt(() => request<ScheduleResource>(path, { method: 'PUT', body: { cron, timeZone } }))
  }
  const remove = () =>
    attempt(async () => {
      await request(path, { method: 'DELETE' })
      return null
    })
  const fault = (field: string) =>
    problem?.violations.find((violation) => violation.path === field)?.message ?? null
  const cronField = { id: 'cron', label: 'Cron', help: 'Minute, hour, day, month, weekday.' }
  const zoneField = { id: 'time-zone', label: 'Time zone', help: 'IANA name, e.g. Europe/Berlin.' }
  return (
    <form onSubmit={save} noValidate>
      <div class="fields">
        <TextField {...cronField} value={cron} type={setCron} fault={fault('cron')} />
        <TextField {...zoneField} value={timeZone} type={setTimeZone} fault={fault('timeZone')} />
      </div>
      {problem !== null && problem.violations.length === 0 ? <ProblemAlert problem={problem} /> : null}
      <div class="actions form-actions">
        <button type="submit">{schedule === null ? 'Set the schedule' : 'Change the schedule'}</button>
        {schedule === null ? null : (
          <button type="button" class="danger" onClick={remove}>
            Delete the schedule
          </button>
        )}
      </div>
    </form>
  )
}

const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

function useAttempt(changed: ScheduleFormProps['changed']) {
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const attempt = async (action: () => Promise<ScheduleResource | null>) => {
    try {
      changed(await action())
      setProblem(null)
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  return { problem, attempt }
}

interface TextFieldProps {
  readonly id: string
  readonly label: string
  readonly help: string
  readonly value: string
  readonly type: (text: string) => void
  readonly fault: string | null
}

export function TextField({ id, label, help, value, type, fault }: TextFieldProps) {
  return (
    <div class={`field${fault === null ? '' : ' field-invalid'}`}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={value}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-error ${id}-help`}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <p id={`${id}-error`} class="violation" aria-live="polite">
        {fault ?? ''}
      </p>
      <p id={`${id}-help`} class="help">
        {help}
      </p>
    </div>
  )
}

function NextRuns({ schedule }: { schedule: ScheduleResource }) {
  return (
    <div class="grid">
      <div>
        <h3>Next runs</h3>
        {schedule.nextRuns.length === 0 ? (
          <p class="muted">None: it is switched off.</p>
        ) : (
          <ol class="notes">
            {schedule.nextRuns.map((at) => (
              <li key={at}>{instant(at)}</li>
            ))}
          </ol>
        )}
      </div>
      {schedule.history.length === 0 ? null : (
        <div>
          <h3>Last firings</h3>
          <ol class="notes">
            {schedule.history.slice(0, 10).map(({ dueAt, outcome, runId, missedCount, message }) => (
              <li key={dueAt}>
                {runId === null ? instant(dueAt) : <Link to={`/runs/${runId}`}>{instant(dueAt)}</Link>}:{' '}
                {outcome}
                {missedCount > 0 ? `, ${missedCount} earlier ones missed` : ''}
                {message === null ? '' : `, ${message}`}
              </li>
            ))}
          </ol>
        </div>
      )}
    </div>
  )
}
