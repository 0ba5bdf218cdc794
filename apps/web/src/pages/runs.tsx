/** Every run, newest first; two of them can be compared. */
import type { RunResource } from '@loadcurve/core/run/resources'
import { useState } from 'preact/hooks'
import { Loaded } from '../parts/loaded.tsx'
import { MoreButton, usePages } from '../parts/pages.tsx'
import { RunTable } from '../parts/run-table.tsx'
import { navigate } from '../router.ts'

export function RunsPage() {
  const pages = usePages<RunResource>('/v1/runs?limit=20')
  const [chosen, setChosen] = useState<readonly string[]>([])
  // The third choice replaces the first one: two can be compared.
  const choose = (runId: string, isChosen: boolean) =>
    setChosen((before) => {
      const others = before.filter((id) => id !== runId)
      return isChosen ? [...others, runId].slice(-2) : others
    })
  return (
    <>
      <div class="head">
        <div>
          <h1>Runs</h1>
          <p class="muted">Carried out one at a time, so that two never share a machine's cores.</p>
        </div>
        <button
          type="button"
          disabled={chosen.length !== 2}
          onClick={() => navigate(`/compare?runs=${chosen.join(',')}`)}
        >
          Compare two runs
        </button>
      </div>
      <Loaded fetched={pages.fetched}>
        {(runs) =>
          runs.length === 0 ? (
            <p class="card">No run yet. Open a plan and start one.</p>
          ) : (
            <div class="card scroll">
              <RunTable runs={runs} chosen={chosen} choose={choose} />
            </div>
          )
        }
      </Loaded>
      <MoreButton pages={pages} />
    </>
  )
}
