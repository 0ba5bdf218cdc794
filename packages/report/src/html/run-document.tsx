/**
 * The report of a run as one HTML file: no script, no font, no image from anywhere. It opens from a disk, prints on
 * paper, and follows the reader's light or dark theme. Preact escapes every text, so a name that looks like markup is
 * shown as it was written.
 */

import type { Plan } from '@loadcurve/core/plan/schema'
import { render } from 'preact-render-to-string'
import { instantText, numberText, unitText } from '../format.ts'
import { type RunChart, runCharts } from '../run-charts.ts'
import { levelLabel, type RunReport } from '../run-report.ts'
import { serverDocument } from '../server-document.ts'
import { sloText } from '../slo-text.ts'
import { stepCharts } from '../step-charts.ts'
import { THEME_CSS } from '../theme.ts'
import { Fact, Facts, KnownFact, Section } from './facts.tsx'
import { RecommendationCard } from './recommendation-card.tsx'
import { REPORT_CSS } from './report-css.ts'
import { RunDetails } from './run-details.tsx'

const CHART_WIDTH_PX = 640

/** The whole file, ready to be written. */
export function runDocument(report: RunReport): string {
  return `<!doctype html>${render(<RunDocument report={report} />)}\n`
}

function RunDocument({ report }: { report: RunReport }) {
  const { run, recommendation } = report
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${run.planName}: Loadcurve report`}</title>
        <style dangerouslySetInnerHTML={{ __html: THEME_CSS + REPORT_CSS }} />
      </head>
      <body>
        <main>
          <h1>{run.planName}</h1>
          <p class="muted">
            Run {run.id}, {run.state}, asked for {instantText(run.createdAt)}, finished{' '}
            {instantText(run.finishedAt)}.
          </p>
          {recommendation === null ? (
            <NoAnswer report={report} />
          ) : (
            <RecommendationCard recommendation={recommendation} />
          )}
          <Asked report={report} />
          <div class="charts">
            {runCharts(report).map((chart) => (
              <ChartFigure key={chart.id} chart={chart} />
            ))}
          </div>
          <RunDetails report={report} />
          <InsideSteps report={report} />
          <WholePlan report={report} />
        </main>
      </body>
    </html>
  )
}

function NoAnswer({ report: { run } }: { report: RunReport }) {
  return (
    <section class="card">
      <h2>No recommendation</h2>
      <p>
        The run is {run.state}
        {run.reason === null ? '' : ` (${run.reason})`}. {run.message}
      </p>
    </section>
  )
}

function Asked({ report: { plan } }: { report: RunReport }) {
  const { target, workload, slo } = plan
  return (
    <Section title="What was asked" id="asked">
      <Facts>
        <Fact name="Target">
          {target.model} at {target.baseUrl} ({target.endpoint})
        </Fact>
        <Fact name="Workload">
          {workload.dataset === null
            ? `${numberText(workload.inputTokens.mean)} input and ${numberText(workload.outputTokens.mean)} output tokens on average`
            : `data set ${workload.dataset.file}`}
          , profile {workload.profile}
        </Fact>
        <Fact name="Promise">{slo.length === 0 ? 'none' : slo.map(sloText).join(', ')}</Fact>
        <KnownFact name="Hardware" text={hardwareText(plan)} />
        <KnownFact name="Peak demand" text={unitText(plan.demand?.peakRequestsPerS, 'requests/s')} />
        <Fact name="Seed">{plan.seed}</Fact>
      </Facts>
    </Section>
  )
}

function hardwareText({ hardware }: Plan): string {
  if (hardware === null) return ''
  const { gpu, gpusPerReplica, pricePerGpuHour, priceDate } = hardware
  const price = pricePerGpuHour === null ? '' : `, ${pricePerGpuHour} USD per GPU and hour`
  return `${numberText(gpusPerReplica)} × ${gpu ?? 'GPU'} a replica${price}${priceDate === null ? '' : ` (${priceDate})`}`
}

function InsideSteps({ report }: { report: RunReport }) {
  const charts = report.steps.flatMap((step) =>
    stepCharts(step).map((chart) => ({ ...chart, title: `${chart.title}, level ${levelLabel(step)}` })),
  )
  if (charts.length === 0) return null
  return (
    <>
      <h2>Inside the steps</h2>
      <div class="charts">
        {charts.map((chart) => (
          <ChartFigure key={chart.id} chart={chart} />
        ))}
      </div>
    </>
  )
}

function WholePlan({ report }: { report: RunReport }) {
  return (
    <details class="card">
      <summary>The whole plan, defaults filled in</summary>
      <pre>{JSON.stringify(report.plan, null, 2)}</pre>
    </details>
  )
}

function ChartFigure({ chart }: { chart: RunChart }) {
  const svg = chart.draw({ document: serverDocument(), widthPx: CHART_WIDTH_PX }).outerHTML
  return (
    <figure class="card">
      <figcaption>
        <h3>{chart.title}</h3>
        <p class="muted">{chart.caption}</p>
      </figcaption>
      {/* Plot builds its texts as text nodes of a document, so what it serialises is escaped already. */}
      <div dangerouslySetInnerHTML={{ __html: svg }} />
    </figure>
  )
}
