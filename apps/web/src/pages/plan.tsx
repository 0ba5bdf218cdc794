/** One plan: start it, see its runs, its schedule and its nightly trend. */
import type { PlanResource, RunResource } from '@loadcurve/core/run/resources'
import { useState } from 'preact/hooks'
import type { ApiProblem } from '../api/problem.ts'
import { request } from '../api/request.ts'
import { Link } from '../parts/link.tsx'
import { asProblem, Loaded, ProblemAlert, useFetched } from '../parts/loaded.tsx'
import { MoreButton, usePages } from '../parts/pages.tsx'
import { RunTable } from '../parts/run-table.tsx'
import { ScheduleCard } from '../parts/schedule-card.tsx'
import { TrendCard } from '../parts/trend-card.tsx'
import { navigate } from '../router.ts'

export function PlanPage({ planId }: { planId: string }) {
  const plan = useFetched<PlanResource>(`/v1/plans/${planId}`)
  return <Loaded fetched={plan}>{(loaded) => <Plan plan={loaded} />}</Loaded>
}

function Plan({ plan }: { plan: PlanResource }) {
  const runs = usePages<RunResource>(`/v1/runs?limit=10&planId=${plan.id}`)
  const { target } = plan.plan as { target: { model: string; baseUrl: string } }
  return (
    <>
      <div class="head">
        <div>
          <h1>{plan.name}</h1>
          <p class="muted">
            {target.model} at <code>{target.baseUrl}</code>
          </p>
        </div>
        <PlanActions planId={plan.id} />
      </div>
      <section class="card" aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        <Loaded fetched={runs.fetched}>
          {(items) =>
            items.length === 0 ? (
              <p>Not run yet. “Start a run” measures the server and recommends.</p>
            ) : (
              <div class="scroll">
                <RunTable runs={items} />
              </div>
            )
          }
        </Loaded>
        <MoreButton pages={runs} />
      </section>
      <ScheduleCard planId={plan.id} />
      <TrendCard planId={plan.id} />
      <details class="card">
        <summary>The plan as JSON</summary>
        <pre class="scroll">
          <code>{JSON.stringify(plan.plan, null, 2)}</code>
        </pre>
      </details>
    </>
  )
}

function PlanActions({ planId }: { planId: string }) {
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [busy, setBusy] = useState(false)
  const attempt = async (action: () => Promise<void>) => {
    setBusy(true)
    try {
      await action()
    } catch (error) {
      setProblem(asProblem(error))
      setBusy(false)
    }
  }
  const start = () =>
    attempt(async () => {
      // One click, one run: a second request with this key would give the same run.
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const run = await request<RunResource>(`/v1/plans/${planId}/runs`, { method: 'POST', headers })
      navigate(`/runs/${run.id}`)
    })
  const remove = () =>
    attempt(async () => {
      if (confirm('Delete this plan and its schedule? Its runs stay readable.')) {
        await request(`/v1/plans/${planId}`, { method: 'DELETE' })
        navigate('/plans')
      } else setBusy(false)
    })
  return (
    <div>
      <div class="actions">
        <button type="button" disabled={busy} onClick={start}>
          Start a run
        </button>
        <Link class="button quiet" to={`/plans/${planId}/edit`}>
          Edit
        </Link>
        <button type="button" class="danger" disabled={busy} onClick={remove}>
          Delete
        </button>
      </div>
      <ProblemAlert problem={problem} />
    </div>
  )
}
