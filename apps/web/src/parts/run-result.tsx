/** What came out of a run: the answer, the what-if beside it, the charts, and every level for those who check. */

import type { RunResource } from '@loadcurve/core/run/resources'
import { RecommendationCard } from '@loadcurve/report/html/recommendation-card'
import { RunDetails } from '@loadcurve/report/html/run-details'
import { runCharts } from '@loadcurve/report/run-charts'
import { levelLabel, type ReportStep, type RunReport } from '@loadcurve/report/run-report'
import { stepCharts } from '@loadcurve/report/step-charts'
import { useMemo, useState } from 'preact/hooks'
import { Chart } from './chart.tsx'
import { Loaded, useFetched } from './loaded.tsx'
import { WhatIfCard } from './what-if-card.tsx'

export function RunResult({ run }: { run: RunResource }) {
  const report = useFetched<RunReport>(`/v1/runs/${run.id}/report?format=json`)
  return <Loaded fetched={report}>{(loaded) => <Result report={loaded} />}</Loaded>
}

function Result({ report }: { report: RunReport }) {
  const charts = useMemo(() => runCharts(report), [report])
  return (
    <>
      {report.recommendation === null ? (
        <NoRecommendation report={report} />
      ) : (
        <>
          <RecommendationCard recommendation={report.recommendation} />
          <WhatIfCard report={report} />
        </>
      )}
      <div class="grid">
        {charts.map((chart) => (
          <Chart key={chart.id} title={chart.title} caption={chart.caption} draw={chart.draw} />
        ))}
      </div>
      <StepDetail steps={report.steps} />
      <RunDetails report={report} />
    </>
  )
}

function NoRecommendation({ report }: { report: RunReport }) {
  const { state, message } = report.run
  return (
    <section class="card">
      <h2>No recommendation</h2>
      <p>
        The run is {state}. {message ?? 'What was measured until then stands below.'}
      </p>
    </section>
  )
}

function StepDetail({ steps }: { steps: readonly ReportStep[] }) {
  const measured = steps.filter(({ summary }) => summary !== null)
  const [chosen, setChosen] = useState(measured[0]?.step ?? 0)
  const step = measured.find((candidate) => candidate.step === chosen)
  const charts = useMemo(() => (step === undefined ? [] : stepCharts(step)), [step])
  if (step === undefined) return null
  return (
    <section aria-labelledby="inside">
      <div class="head">
        <h2 id="inside">Inside a step</h2>
        <label>
          Level{' '}
          <select value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {measured.map((candidate) => (
              <option key={candidate.step} value={candidate.step}>
                {levelLabel(candidate)} ({candidate.purpose})
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="grid">
        {charts.map((chart) => (
          <Chart key={chart.id} title={chart.title} caption={chart.caption} draw={chart.draw} />
        ))}
      </div>
    </section>
  )
}
