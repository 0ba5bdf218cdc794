/**
 * The server's batch dial: tells the target its new limit through `controlUrl`, then waits until `readyUrl` answers 200.
 * Both go through the same door as the load.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { PlanSweep } from '@loadcurve/core/plan/schema'

/** One plain request to the target's side, through the policy; resolves with the status, or null when none came. */
export type PlainRequest = (request: {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Sent as JSON; left out with GET. */
  readonly json?: unknown
}) => Promise<number | null>

const READY_POLL_MS = 250

/** The target could not be told its batch limit, or did not come back. */
export class BatchControlError extends Error {
  readonly code = 'batch-control-failed'
}

/**
 * Sets the server's batch limit and waits until it is ready.
 *
 * @throws BatchControlError when the control URL does not answer 2xx, or readyUrl not 200 within its time
 */
export async function setServerBatch({
  control,
  batch,
  request,
  signal,
}: {
  readonly control: PlanSweep['batch']
  readonly batch: number
  readonly request: PlainRequest
  readonly signal: AbortSignal
}): Promise<void> {
  const { controlUrl, controlMethod, controlBody, readyUrl, readyTimeoutS } = control
  if (controlUrl === null)
    throw new BatchControlError('the plan steps the server’s batch but has no controlUrl')
  const json = withBatch(controlBody, batch)
  const status = await request({ url: controlUrl, method: controlMethod, json })
  if (status === null || status < 200 || status > 299) {
    throw new BatchControlError(`controlUrl answered ${status ?? 'nothing'} when it was told batch ${batch}`)
  }
  if (readyUrl !== null) await untilReady({ readyUrl, readyTimeoutS, request, signal })
}

/** The control body with `{batch}` inside strings replaced, and "{batch}" alone replaced by the number itself. */
export function withBatch(body: unknown, batch: number): unknown {
  if (body === '{batch}') return batch
  if (typeof body === 'string') return body.replaceAll('{batch}', String(batch))
  if (Array.isArray(body)) return body.map((item) => withBatch(item, batch))
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, withBatch(value, batch)]))
}

async function untilReady(wait: {
  readonly readyUrl: string
  readonly readyTimeoutS: number
  readonly request: PlainRequest
  readonly signal: AbortSignal
}): Promise<void> {
  const { readyUrl, readyTimeoutS, request, signal } = wait
  const deadlineAtMs = performance.now() + readyTimeoutS * 1000
  for (;;) {
    if ((await request({ url: readyUrl, method: 'GET' })) === 200) return
    if (performance.now() > deadlineAtMs) {
      throw new BatchControlError(`readyUrl did not answer 200 within ${readyTimeoutS} s`)
    }
    await delay(READY_POLL_MS, undefined, { signal })
  }
}
