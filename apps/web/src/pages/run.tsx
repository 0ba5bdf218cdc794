/** One run: followed live while it goes on, its answer when it is over. */
import type { RunResource } from '@loadcurve/core/run/resources'
import { useEffect, useState } from 'preact/hooks'
import { followEvents } from '../api/event-stream.ts'
import type { ApiProblem } from '../api/problem.ts'
import { request, send } from '../api/request.ts'
import { afterEvent, type LiveRun, NOTHING_YET } from '../live-run.ts'
import { Link } from '../parts/link.tsx'
import { LiveSteps } from '../parts/live-steps.tsx'
import { asProblem, Loaded, ProblemAlert, useFetched } from '../parts/loaded.tsx'
import { RunResult } from '../parts/run-result.tsx'
import { RunState } from '../parts/run-table.tsx'
import { elapsed, instant } from '../time.ts'

export function RunPage({ runId }: { runId: string }) {
  const run = useFetched<RunResource>(`/v1/runs/${runId}`)
  const { live, connection, problem } = useLiveRun(runId, run.reload)
  return (
    <Loaded fetched={run}>
      {(loaded) => (
        <>
          <RunHead run={loaded} live={live} />
          <ProblemAlert problem={problem} />
          {connection === 'lost' && !live.isOver ? (
            <div class="alert" role="status">
              The connection is lost; trying again. The run goes on without this page.
            </div>
          ) : null}
          {live.notice === null ? null : (
            <div class="alert info" role="status">
              {live.notice}
            </div>
          )}
          <Findings live={live} />
          {live.isOver ? null : <LiveSteps live={live} />}
          {live.isOver || live.hasRecommendation ? (
            <RunResult key={`${live.isOver}-${live.hasRecommendation}`} run={loaded} />
          ) : null}
        </>
      )}
    </Loaded>
  )
}

function useLiveRun(runId: string, onOver: () => void) {
  const [live, setLive] = useState<LiveRun>(NOTHING_YET)
  const [connection, setConnection] = useState<'live' | 'lost'>('live')
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  useEffect(() => {
    const left = new AbortController()
    let current = NOTHING_YET
    followEvents({
      path: `/v1/runs/${runId}/events`,
      signal: left.signal,
      onConnection: setConnection,
      onEvent: ({ type, data }) => {
        current = afterEvent(current, type as never, data as Record<string, unknown>)
        setLive(current)
        if (current.isOver) onOver()
      },
    }).catch((error: unknown) => setProblem(asProblem(error)))
    return () => left.abort()
  }, [runId])
  return { live, connection, problem }
}

function RunHead({ run, live }: { run: RunResource; live: LiveRun }) {
  const state = live.state === 'waiting' ? run.state : live.state
  return (
    <div class="head">
      <div>
        <h1>{run.planName}</h1>
        <p class="muted">
          <RunState run={{ state, runsAhead: run.runsAhead }} /> Asked for {instant(run.createdAt)}
          {run.startedAt === null ? '' : `, ${elapsed(run.startedAt, run.finishedAt)}`}.{' '}
          <Link to={`/plans/${run.planId}`}>Plan</Link>
        </p>
      </div>
      <RunActions run={run} isOver={live.isOver} />
    </div>
  )
}

function RunActions({ run, isOver }: { run: RunResource; isOver: boolean }) {
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const cancel = () =>
    request(`/v1/runs/${run.id}/cancel`, { method: 'POST' }).catch((error: unknown) =>
      setProblem(asProblem(error)),
    )
  if (!isOver) {
    return (
      <div>
        <button type="button" class="danger" onClick={cancel}>
          Cancel the run
        </button>
        <ProblemAlert problem={problem} />
      </div>
    )
  }
  return (
    <div class="actions">
      <DownloadButton runId={run.id} format="html" label="Report" />
      <DownloadButton runId={run.id} format="markdown" label="Markdown" />
      <DownloadButton runId={run.id} format="json" label="JSON" />
    </div>
  )
}

interface DownloadProps {
  readonly runId: string
  readonly format: 'html' | 'markdown' | 'json'
  readonly label: string
}

const EXTENSIONS = { html: 'html', markdown: 'md', json: 'json' } as const

// Fetched rather than linked to: a plain link could not carry the API key.
function DownloadButton({ runId, format, label }: DownloadProps) {
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const download = async () => {
    try {
      const blob = await (await send(`/v1/runs/${runId}/report?format=${format}`)).blob()
      const anchor = document.createElement('a')
      anchor.href = URL.createObjectURL(blob)
      anchor.download = `loadcurve-${runId}.${EXTENSIONS[format]}`
      anchor.click()
      URL.revokeObjectURL(anchor.href)
    } catch (error) {
      setProblem(asProblem(error))
    }
  }
  return (
    <>
      <button type="button" class="quiet" onClick={download}>
        Download {label}
      </button>
      <ProblemAlert problem={problem} />
    </>
  )
}

function Findings({ live }: { live: LiveRun }) {
  const faults = live.findings.filter(({ ok }) => !ok)
  if (faults.length === 0) return null
  return (
    <section class="card" aria-labelledby="findings">
      <h2 id="findings">Found before the first step</h2>
      <ul class="notes">
        {faults.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </section>
  )
}
