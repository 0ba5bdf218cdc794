/** Which page is shown, behind the sign-in when the service asks for a key. */
import { useState } from 'preact/hooks'
import { storeApiKey } from './api/key.ts'
import { ComparePage } from './pages/compare.tsx'
import { PlanPage } from './pages/plan.tsx'
import { PlanEditPage } from './pages/plan-edit.tsx'
import { PlansPage } from './pages/plans.tsx'
import { RunPage } from './pages/run.tsx'
import { RunsPage } from './pages/runs.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { Loaded, useFetched } from './parts/loaded.tsx'
import { Shell } from './parts/shell.tsx'
import { type Route, useRoute } from './router.ts'

export function App() {
  const route = useRoute()
  const [round, setRound] = useState(0)
  // The cheapest request that needs a key tells whether one is needed.
  const door = useFetched<unknown>('/v1/plans?limit=1')
  const signIn = (key: string) => {
    storeApiKey(key)
    door.reload()
    setRound(round + 1)
  }
  return (
    <Shell section={sectionOf(route)}>
      {door.problem?.status === 401 ? (
        <SignInPage refused={door.problem.code === 'api-key-unknown'} signIn={signIn} />
      ) : (
        <Loaded fetched={door}>{() => <Page key={round} route={route} />}</Loaded>
      )}
    </Shell>
  )
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'plans':
      return <PlansPage />
    case 'plan-edit':
      return <PlanEditPage key={route.planId} planId={route.planId} />
    case 'plan':
      return <PlanPage key={route.planId} planId={route.planId} />
    case 'runs':
      return <RunsPage />
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} />
    case 'compare':
      return <ComparePage runIds={route.runIds} />
    default:
      return (
        <>
          <h1>There is no such page</h1>
          <p>The plans and the runs are in the bar above.</p>
        </>
      )
  }
}

const sectionOf = (route: Route): string => (route.page.startsWith('plan') ? '/plans' : '/runs')
