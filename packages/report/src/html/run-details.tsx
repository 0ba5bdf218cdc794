/** What stands behind the answer, for an expert: the same parts in the report and on the dashboard's page. */
import type { RunReport } from '../run-report.ts'
import { Checks } from './checks.tsx'
import { DefinitionsTable } from './definitions-table.tsx'
import { Environment } from './environment.tsx'
import { ScrollRegion, Section } from './facts.tsx'
import { FailuresTable } from './failures-table.tsx'
import { FitDetails } from './fit-details.tsx'
import { FleetDetails } from './fleet-details.tsx'
import { LevelsTable } from './levels-table.tsx'
import { OpenLoopTable } from './open-loop-table.tsx'
import { ProfilesTable } from './profiles-table.tsx'

export function RunDetails({ report }: { report: RunReport }) {
  const { recommendation, steps } = report
  return (
    <>
      <FleetDetails fleet={recommendation?.fleet ?? null} />
      <Checks report={report} />
      {recommendation === null ? null : <ProfilesTable profiles={recommendation.profiles} />}
      <Section title="What was measured" id="levels">
        <ScrollRegion label="Table of levels">
          <LevelsTable steps={steps} />
        </ScrollRegion>
      </Section>
      <FailuresTable steps={steps} />
      <FitDetails report={report} />
      <OpenLoopTable openLoop={recommendation?.openLoop ?? null} />
      <Environment report={report} />
      <Section title="What the words mean" id="definitions">
        <DefinitionsTable version={report.definitionsVersion} />
      </Section>
    </>
  )
}
