/** Writes a plan: in a form made from the plan's own schema, or as JSON; both edit the same value. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ApiProblem, Violation } from '../api/problem.ts'
import { request } from '../api/request.ts'
import { Link } from '../parts/link.tsx'
import { asProblem, Loaded, ProblemAlert, useFetched } from '../parts/loaded.tsx'
import type { JsonSchema } from '../parts/schema-form/field-kind.ts'
import { FormContext } from '../parts/schema-form/form-state.ts'
import { PlanForm } from '../parts/schema-form/plan-form.tsx'
import { replacePath, type ValuePath } from '../parts/schema-form/value-path.ts'
import { navigate } from '../router.ts'

interface Validation {
  readonly valid: boolean
  readonly violations: readonly Violation[]
  readonly estimate: { requests: number; outputTokens: number; minutes: number; steps: number } | null
}

const STARTING_POINT = {
  name: '',
  target: { baseUrl: '', model: '' },
  slo: [
    { metric: 'ttft', percentile: 95, maxMs: 800 },
    { metric: 'tpot', percentile: 95, maxMs: 40 },
  ],
}
const CHECK_AFTER_MS = 400

export function PlanEditPage({ planId }: { planId: string | null }) {
  const schema = useFetched<JsonSchema>('/v1/plan-schema')
  const stored = useFetched<{ plan: unknown }>(planId === null ? null : `/v1/plans/${planId}`)
  return (
    <>
      <h1>{planId === null ? 'New plan' : 'Edit plan'}</h1>
      <Loaded fetched={schema}>
        {(loaded) =>
          planId === null ? (
            <Editor schema={loaded} planId={null} initial={STARTING_POINT} />
          ) : (
            <Loaded fetched={stored}>
              {({ plan }) => <Editor schema={loaded} planId={planId} initial={plan} />}
            </Loaded>
          )
        }
      </Loaded>
    </>
  )
}

interface EditorProps {
  readonly schema: JsonSchema
  readonly planId: string | null
  readonly initial: unknown
}

function Editor({ schema, planId, initial }: EditorProps) {
  const [asJson, setAsJson] = useState(false)
  const draft = useDraft(planId, initial)
  return (
    <FormContext.Provider value={draft.form}>
      <form onSubmit={draft.save} noValidate>
        <ModeSwitch asJson={asJson} choose={setAsJson} />
        {asJson ? (
          <JsonEditor value={draft.form.value} onChange={draft.replace} />
        ) : (
          <PlanForm schema={schema} />
        )}
        <Summary violations={draft.form.violations} problem={draft.problem} />
        <Estimate validation={draft.validation} />
        <div class="actions">
          <button type="submit">Save plan</button>
          <Link class="button quiet" to={planId === null ? '/plans' : `/plans/${planId}`}>
            Back
          </Link>
        </div>
      </form>
    </FormContext.Provider>
  )
}

function useDraft(planId: string | null, initial: unknown) {
  const [value, setValue] = useState(initial)
  const [touched, setTouched] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const validation = useValidation(value)
  // A page that opens covered in red teaches nothing: violations show once somebody has begun or tried to save.
  const violations = touched ? validation.violations : []
  const replace = (next: unknown) => {
    setTouched(true)
    setValue(next)
  }
  const change = (path: ValuePath, replacement: unknown) => {
    setTouched(true)
    setValue((before: unknown) => replacePath(before, path, replacement))
  }
  const save = async (event: Event) => {
    event.preventDefault()
    setTouched(true)
    try {
      const path = planId === null ? '/v1/plans' : `/v1/plans/${planId}`
      const saved = await request<{ id: string }>(path, {
        method: planId === null ? 'POST' : 'PUT',
        body: value,
      })
      navigate(`/plans/${saved.id}`)
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  const form = useMemo(() => ({ value, violations, change }), [value, violations])
  return { form, validation, problem, replace, save }
}

function ModeSwitch({ asJson, choose }: { asJson: boolean; choose: (asJson: boolean) => void }) {
  return (
    <div class="actions modes">
      <button
        type="button"
        class={asJson ? 'quiet' : ''}
        aria-pressed={!asJson}
        onClick={() => choose(false)}
      >
        Form
      </button>
      <button type="button" class={asJson ? '' : 'quiet'} aria-pressed={asJson} onClick={() => choose(true)}>
        JSON
      </button>
    </div>
  )
}

function Estimate({ validation }: { validation: Validation }) {
  if (validation.estimate === null) return null
  const { requests, steps, minutes } = validation.estimate
  return (
    <p class="muted">
      A run would send about {requests.toLocaleString('en-GB')} requests in {steps} steps and take about{' '}
      {minutes} minutes.
    </p>
  )
}

function Summary({ violations, problem }: { violations: readonly Violation[]; problem: ApiProblem | null }) {
  if (violations.length === 0)
    return <ProblemAlert problem={problem?.code === 'invalid-plan' ? null : problem} />
  return (
    <div class="alert" role="alert">
      <strong>
        {violations.length} {violations.length === 1 ? 'thing' : 'things'} to mend:
      </strong>
      <ul class="notes">
        {violations.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {path === '' ? null : <code>{path}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  )
}

function JsonEditor({ value, onChange }: { value: unknown; onChange: (value: unknown) => void }) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const [fault, setFault] = useState<string | null>(null)
  const type = (typed: string) => {
    setText(typed)
    try {
      onChange(JSON.parse(typed))
      setFault(null)
    } catch (error) {
      setFault(`This is not JSON yet: ${(error as Error).message}`)
    }
  }
  return (
    <div class="field section">
      <label for="plan-json">The plan as JSON</label>
      <textarea
        id="plan-json"
        rows={28}
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
      />
      {fault === null ? null : <p class="violation">{fault}</p>}
    </div>
  )
}

const UNCHECKED: Validation = { valid: false, violations: [], estimate: null }

function useValidation(value: unknown): Validation {
  const [validation, setValidation] = useState(UNCHECKED)
  useEffect(() => {
    const left = new AbortController()
    const timer = setTimeout(() => {
      request<Validation>('/v1/plans/validate', { method: 'POST', body: value, signal: left.signal }).then(
        setValidation,
        // Saving says it again, with its reason.
        () => setValidation(UNCHECKED),
      )
    }, CHECK_AFTER_MS)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [value])
  return validation
}
