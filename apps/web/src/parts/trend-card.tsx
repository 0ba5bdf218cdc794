/** The nightly trend of a plan: each figure over the runs, and whether the newest one is worse than its own past. */
import { numberText, percentText, UNKNOWN } from '@loadcurve/report/format'
import { instant } from '../time.ts'
import { Link } from './link.tsx'
import { Loaded, useFetched } from './loaded.tsx'

export interface TrendAnswer {
  readonly metrics: readonly {
    readonly name: string
    readonly label: string
    readonly unit: string
    readonly isBetter: 'lower' | 'higher'
    readonly regression: {
      readonly verdict: 'steady' | 'worse' | 'better' | 'too-few-runs'
      readonly value: number | null
      readonly baseline: number | null
      readonly interval: readonly [number, number] | null
      readonly changeFraction: number | null
      readonly runs: number
    }
  }[]
  readonly runs: readonly {
    readonly runId: string
    readonly at: string
    readonly fingerprintHash: string | null
    readonly values: Readonly<Record<string, number | null>>
  }[]
  readonly restartedAt: string | null
}

const VERDICT_CLASS = {
  steady: 'verdict-good',
  better: 'verdict-good',
  worse: 'verdict-bad',
  'too-few-runs': 'muted',
}

export function TrendCard({ planId }: { planId: string }) {
  const trend = useFetched<TrendAnswer>(`/v1/plans/${planId}/trend`)
  return (
    <section class="card" aria-labelledby="trend">
      <h2 id="trend">Trend</h2>
      <Loaded fetched={trend}>
        {(answer) =>
          answer.runs.length === 0 ? <p class="muted">No finished run yet.</p> : <Trend answer={answer} />
        }
      </Loaded>
    </section>
  )
}

function Trend({ answer }: { answer: TrendAnswer }) {
  return (
    <>
      {answer.restartedAt === null ? null : (
        <p class="muted">
          The server changed on {instant(answer.restartedAt)}: verdicts use the runs since then.
        </p>
      )}
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Run</th>
              {answer.metrics.map(({ name, label, unit }) => (
                <th scope="col" class="number" key={name}>
                  {label} ({unit})
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answer.runs.slice(-NIGHTS_SHOWN).map((run) => (
              <Night key={run.runId} run={run} metrics={answer.metrics} />
            ))}
            <Verdicts metrics={answer.metrics} />
          </tbody>
        </table>
      </div>
    </>
  )
}

const NIGHTS_SHOWN = 14

interface NightProps {
  readonly run: TrendAnswer['runs'][number]
  readonly metrics: TrendAnswer['metrics']
}

function Night({ run, metrics }: NightProps) {
  return (
    <tr>
      <td>
        <Link to={`/runs/${run.runId}`}>{instant(run.at)}</Link>
      </td>
      {metrics.map(({ name }) => (
        <td class="number" key={name}>
          {numberText(run.values[name])}
        </td>
      ))}
    </tr>
  )
}

function Verdicts({ metrics }: { metrics: TrendAnswer['metrics'] }) {
  return (
    <tr>
      <th scope="row">Newest against its past</th>
      {metrics.map(({ name, regression }) => (
        <td class="number" key={name}>
          <span class={`verdict ${VERDICT_CLASS[regression.verdict]}`}>
            {regression.verdict.replaceAll('-', ' ')}
          </span>
          <br />
          {regression.changeFraction === null ? UNKNOWN : percentText(regression.changeFraction)}
        </td>
      ))}
    </tr>
  )
}
