/** Two runs side by side: what each recommends, and at which levels they differ beyond their noise. */
import type { ComparedFigure, Comparison } from '@loadcurve/core/run/comparison'
import type { RunResource } from '@loadcurve/core/run/resources'
import { moneyText, numberText, percentText, unitText } from '@loadcurve/report/format'
import { useState } from 'preact/hooks'
import { levelName } from '../parts/level-name.ts'
import { Link } from '../parts/link.tsx'
import { Loaded, useFetched } from '../parts/loaded.tsx'
import { instant } from '../time.ts'

interface ComparisonAnswer extends Comparison {
  readonly runs: readonly RunResource[]
  readonly answers: readonly {
    readonly verdict: string | null
    readonly batch: number | null
    readonly maxRequestsPerS: number | null
    readonly gpus: number | null
    readonly costPerMillionOutputTokens: number | null
  }[]
}

export function ComparePage({ runIds }: { runIds: readonly string[] }) {
  const [accept, setAccept] = useState(false)
  const query = `runs=${encodeURIComponent(runIds.join(','))}&acceptOtherServer=${accept}`
  const comparison = useFetched<ComparisonAnswer>(runIds.length === 2 ? `/v1/compare?${query}` : null)
  if (runIds.length !== 2) {
    return (
      <>
        <h1>Compare two runs</h1>
        <p>
          Choose two of them in the <Link to="/runs">list of runs</Link>.
        </p>
      </>
    )
  }
  return (
    <>
      <h1>Compare two runs</h1>
      <Loaded fetched={comparison}>
        {(answer) => (
          <>
            <Answers answer={answer} />
            {answer.refusal === 'fingerprint-differs' ? (
              <div class="alert">
                <p>
                  The two servers describe themselves differently (engine, flags or model), so a difference
                  would not be one of the night but of the server.
                </p>
                <button type="button" onClick={() => setAccept(true)}>
                  Compare them all the same
                </button>
              </div>
            ) : null}
            {answer.refusal === 'no-common-level' ? (
              <p class="alert">They have no level in common that both measured well.</p>
            ) : null}
            {answer.levels.length === 0 ? null : <Levels answer={answer} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function Answers({ answer: { runs, answers } }: { answer: ComparisonAnswer }) {
  return (
    <section class="card scroll" aria-label="What each recommends">
      <table>
        <caption>What each recommends</caption>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Verdict</th>
            <th scope="col" class="number">
              Batch
            </th>
            <th scope="col" class="number">
              Load per replica
            </th>
            <th scope="col" class="number">
              GPUs
            </th>
            <th scope="col" class="number">
              $ per million output tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => (
            <tr key={run.id}>
              <td>
                <Link to={`/runs/${run.id}`}>{run.planName}</Link>, {instant(run.createdAt)}
              </td>
              <td>{answers[index]?.verdict ?? run.state}</td>
              <td class="number">{numberText(answers[index]?.batch)}</td>
              <td class="number">{unitText(answers[index]?.maxRequestsPerS, 'req/s')}</td>
              <td class="number">{numberText(answers[index]?.gpus)}</td>
              <td class="number">{moneyText(answers[index]?.costPerMillionOutputTokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const METRICS: Readonly<Record<ComparedFigure['metric'], { readonly label: string; readonly unit: string }>> =
  {
    requestsPerS: { label: 'Requests', unit: '/s' },
    outputTokensPerS: { label: 'Output tokens', unit: '/s' },
    ttftMs: { label: 'TTFT mean', unit: 'ms' },
    tpotMs: { label: 'TPOT mean', unit: 'ms' },
  }
const VERDICT_CLASS = { same: 'muted', better: 'verdict-good', worse: 'verdict-bad', unknown: 'verdict-warn' }

function Levels({ answer }: { answer: ComparisonAnswer }) {
  const rows = answer.levels.flatMap(({ level, figures }) => figures.map((figure) => ({ level, figure })))
  return (
    <section class="card scroll" aria-label="Level by level">
      <table>
        <caption>Level by level; a difference counts only beyond the noise of both figures.</caption>
        <thead>
          <tr>
            <th scope="col">Level</th>
            <th scope="col">Figure</th>
            <th scope="col" class="number">
              First
            </th>
            <th scope="col" class="number">
              Second
            </th>
            <th scope="col" class="number">
              Change (95 % interval)
            </th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ level, figure }) => (
            <tr key={`${levelName(level)} ${figure.metric}`}>
              <td>{levelName(level)}</td>
              <td>{METRICS[figure.metric].label}</td>
              <td class="number">{unitText(figure.first, METRICS[figure.metric].unit)}</td>
              <td class="number">{unitText(figure.second, METRICS[figure.metric].unit)}</td>
              <td class="number">{change(figure)}</td>
              <td>
                <span class={`verdict ${VERDICT_CLASS[figure.verdict]}`}>{figure.verdict}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function change({ changeFraction, interval }: ComparedFigure): string {
  if (interval === null) return percentText(changeFraction)
  return `${percentText(changeFraction)} (${percentText(interval[0])} to ${percentText(interval[1])})`
}
