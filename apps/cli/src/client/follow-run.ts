/** Follows a run to its end and says how it ended. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { isLastEvent, RUN_EVENT_KINDS, type RunEventKind } from '@loadcurve/core/run/event'
import type { RunResource } from '@loadcurve/core/run/resources'
import type { ApiClient, ApiEvent } from './api-client.ts'

export interface FollowedRun {
  readonly run: RunResource
  /** Null when the run has none. */
  readonly recommendation: Recommendation | null
}

const RECONNECT_MS = 500
/** The server may be restarted while we follow; somebody who is gone this long does not come back. */
const RECONNECTS_MAX = 120

/**
 * Follows a run until it is over. A cut stream is taken up where it was cut.
 *
 * @param signal aborts when the person has had enough: the run is cancelled, and followed to its end
 */
export async function followRun({
  client,
  runId,
  signal,
  onEvent,
}: {
  readonly client: ApiClient
  readonly runId: string
  readonly signal: AbortSignal
  readonly onEvent: (event: ApiEvent) => void
}): Promise<FollowedRun> {
  const cancel = () => void client.cancelRun(runId).catch(() => {})
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  await untilLastEvent(client, runId, onEvent)
  signal.removeEventListener('abort', cancel)
  const run = await client.run(runId)
  const recommendation = await client.recommendation(runId).catch(() => null)
  return { run, recommendation }
}

async function untilLastEvent(
  client: ApiClient,
  runId: string,
  onEvent: (event: ApiEvent) => void,
): Promise<void> {
  let lastId = 0
  for (let reconnects = 0; ; reconnects++) {
    try {
      for await (const event of client.events(runId, lastId, new AbortController().signal)) {
        if (event.kind === 'end') return
        lastId = event.id
        reconnects = 0
        onEvent(event)
        if (isRunEventKind(event.kind) && isLastEvent(event.kind)) return
      }
    } catch (error) {
      if (reconnects >= RECONNECTS_MAX) throw error
    }
    await delay(RECONNECT_MS)
  }
}

function isRunEventKind(kind: string): kind is RunEventKind {
  return RUN_EVENT_KINDS.includes(kind as RunEventKind)
}
