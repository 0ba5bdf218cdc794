/** Starts runs and waits for what is said about them. */
import type { PlanInput } from '@loadcurve/core/plan/schema'
import type { ApiClient, ApiEvent } from 'loadcurve/client/api-client'
import { followRun } from 'loadcurve/client/follow-run'

const never = new AbortController().signal

export interface StartedRun {
  readonly id: string
  readonly events: ApiEvent[]
  /** Resolves with the first event of a kind that has come or comes. */
  readonly seen: (kind: string, matches?: (data: ApiEvent['data']) => boolean) => Promise<ApiEvent>
  readonly ended: ReturnType<typeof followRun>
}

export async function startRun(client: ApiClient, plan: PlanInput): Promise<StartedRun> {
  const { id: planId } = await client.createPlan(plan)
  const { id } = await client.startRun(planId)
  return follow(client, id)
}

export function follow(client: ApiClient, id: string): StartedRun {
  const events: ApiEvent[] = []
  const waiting = new Set<() => void>()
  const onEvent = (event: ApiEvent) => {
    events.push(event)
    for (const look of waiting) look()
  }
  const ended = followRun({ client, runId: id, signal: never, onEvent })
  ended.catch(() => {})
  const seen = (kind: string, matches: (data: ApiEvent['data']) => boolean = () => true) =>
    new Promise<ApiEvent>((resolve, reject) => {
      const look = () => {
        const found = events.find((event) => event.kind === kind && matches(event.data))
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      ended.then(
        ({ run }) =>
          reject(new Error(`the run ended (${run.state}, ${run.reason}: ${run.message}) without ${kind}`)),
        reject,
      )
      look()
    })
  return { id, events, seen, ended }
}
