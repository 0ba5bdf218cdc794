/** Every plan, newest first. */
import type { PlanResource } from '@loadcurve/core/run/resources'
import { Link } from '../parts/link.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { MoreButton, usePages } from '../parts/pages.tsx'
import { instant } from '../time.ts'

export function PlansPage() {
  const pages = usePages<PlanResource>('/v1/plans?limit=20')
  return (
    <>
      <div class="head">
        <div>
          <h1>Plans</h1>
          <p class="muted">What to test, against which server, for which promise.</p>
        </div>
        <Link class="button" to="/plans/new">
          New plan
        </Link>
      </div>
      <Loaded fetched={pages.fetched}>
        {(plans) =>
          plans.length === 0 ? (
            <div class="card">
              <h2>No plan yet</h2>
              <p>
                A plan names an inference server and the promise you want it to keep. A run of it measures the
                server and answers which batch size to set and how many GPUs to buy.
              </p>
              <Link class="button" to="/plans/new">
                Write the first plan
              </Link>
            </div>
          ) : (
            <div class="card scroll">
              <PlanTable plans={plans} />
            </div>
          )
        }
      </Loaded>
      <MoreButton pages={pages} />
    </>
  )
}

function PlanTable({ plans }: { plans: readonly PlanResource[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Plan</th>
          <th scope="col">Model</th>
          <th scope="col">Target</th>
          <th scope="col">Edited</th>
        </tr>
      </thead>
      <tbody>
        {plans.map(({ id, name, plan, updatedAt }) => {
          const { target } = plan as { target: { model: string; baseUrl: string } }
          return (
            <tr key={id}>
              <td>
                <Link to={`/plans/${id}`}>{name}</Link>
              </td>
              <td>{target.model}</td>
              <td>
                <code>{target.baseUrl}</code>
              </td>
              <td>{instant(updatedAt)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
