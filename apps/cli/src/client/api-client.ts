/** The REST API as the command line uses it. */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { RunResource } from '@loadcurve/core/run/resources'
import { EventStream } from '@loadcurve/loadgen/wire/event-stream'

export interface ApiEvent {
  readonly id: number
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
}

/** An answer that is no success: RFC 9457 problem details, as the API sent them. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly violations: readonly { readonly path: string; readonly message: string }[]
  constructor(
    status: number,
    problem: { code?: string; title?: string; detail?: string; violations?: unknown },
  ) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`)
    this.status = status
    this.code = problem.code ?? 'unknown'
    this.violations = Array.isArray(problem.violations) ? problem.violations : []
  }
}

const REQUEST_TIMEOUT_MS = 30_000

export class ApiClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ url, apiKey }: { readonly url: string; readonly apiKey: string | null }) {
    this.#url = url.replace(/\/+$/, '')
    this.#headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
  }

  /** False when nothing of ours answers there. */
  async isThere(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#url}/healthz`, { signal: AbortSignal.timeout(2_000) })
      await response.body?.cancel()
      return response.ok
    } catch {
      return false
    }
  }

  createPlan(plan: unknown): Promise<{ readonly id: string }> {
    return this.#ask('POST', '/v1/plans', plan)
  }

  startRun(planId: string): Promise<RunResource> {
    return this.#ask('POST', `/v1/plans/${planId}/runs`)
  }

  run(runId: string): Promise<RunResource> {
    return this.#ask('GET', `/v1/runs/${runId}`)
  }

  cancelRun(runId: string): Promise<RunResource> {
    return this.#ask('POST', `/v1/runs/${runId}/cancel`)
  }

  recommendation(runId: string): Promise<Recommendation> {
    return this.#ask('GET', `/v1/runs/${runId}/recommendation`)
  }

  /** The events of a run after number `afterId`; ends with the stream, which may be cut: ask again from the last id. */
  async *events(runId: string, afterId: number, signal: AbortSignal): AsyncGenerator<ApiEvent, void> {
    const headers = { ...this.#headers, 'last-event-id': String(afterId) }
    const response = await fetch(`${this.#url}/v1/runs/${runId}/events`, { headers, signal })
    if (!response.ok || response.body === null) throw await problemOf(response)
    const ready: ApiEvent[] = []
    const stream = new EventStream({
      onEvent: (data, kind) => ready.push({ id: Number(stream.lastEventId), kind, data: JSON.parse(data) }),
      onErrorField: () => {},
      onComment: () => {},
      onTooLong: () => {},
    })
    for await (const chunk of response.body) {
      stream.push(Buffer.from(chunk))
      yield* ready.splice(0)
    }
  }

  async #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw await problemOf(response)
    return (await response.json()) as T
  }
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text()
  try {
    return new ApiProblem(response.status, JSON.parse(text))
  } catch {
    return new ApiProblem(response.status, { detail: text.slice(0, 300) })
  }
}
