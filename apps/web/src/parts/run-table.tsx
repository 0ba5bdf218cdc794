/** Runs as rows, optionally with boxes to choose two for a comparison. */
import type { RunResource } from '@loadcurve/core/run/resources'
import { elapsed, instant } from '../time.ts'
import { Link } from './link.tsx'

export interface RunTableProps {
  readonly runs: readonly RunResource[]
  readonly chosen?: readonly string[]
  readonly choose?: (runId: string, chosen: boolean) => void
}

export function RunTable({ runs, chosen = [], choose }: RunTableProps) {
  return (
    <table>
      <thead>
        <tr>
          {choose === undefined ? null : <th scope="col">Compare</th>}
          <th scope="col">Run</th>
          <th scope="col">State</th>
          <th scope="col">Asked for</th>
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            {choose === undefined ? null : (
              <td>
                <input
                  type="checkbox"
                  aria-label={`Compare the run of ${instant(run.createdAt)}`}
                  checked={chosen.includes(run.id)}
                  onChange={(event) => choose(run.id, event.currentTarget.checked)}
                />
              </td>
            )}
            <td>
              <Link to={`/runs/${run.id}`}>{run.planName}</Link>
              {run.origin === 'schedule' ? <span class="muted"> (scheduled)</span> : null}
            </td>
            <td>
              <RunState run={run} />
            </td>
            <td>{instant(run.createdAt)}</td>
            <td>{elapsed(run.startedAt, run.finishedAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const STATE_CLASS: Readonly<Record<RunResource['state'], string>> = {
  waiting: 'verdict-warn',
  running: 'verdict-warn',
  finished: 'verdict-good',
  failed: 'verdict-bad',
  cancelled: 'muted',
}

export function RunState({ run }: { run: Pick<RunResource, 'state' | 'runsAhead'> }) {
  return (
    <span class={`verdict ${STATE_CLASS[run.state]}`}>
      {run.state}
      {run.state === 'waiting' && run.runsAhead > 0 ? `, ${run.runsAhead} ahead` : ''}
    </span>
  )
}
