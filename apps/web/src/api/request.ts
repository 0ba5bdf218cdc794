/** Requests to our own API: JSON in, JSON out, problems thrown as {@link ApiProblem}. */
import { readApiKey } from './key.ts'
import { ApiProblem, readProblem } from './problem.ts'

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** @throws ApiProblem for every answer that is no success, and when the server cannot be reached */
export async function request<Result>(path: string, options: RequestOptions = {}): Promise<Result> {
  const response = await send(path, options)
  if (response.status === 204) return undefined as Result
  return (await response.json()) as Result
}

/** The raw answer, for streams and downloads. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const key = readApiKey()
  const headers = new Headers(options.headers)
  if (key !== null) headers.set('authorization', `Bearer ${key}`)
  if (options.body !== undefined) headers.set('content-type', 'application/json')
  let response: Response
  try {
    response = await fetch(path, {
      method: options.method ?? 'GET',
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ?? null,
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ApiProblem({
      status: 0,
      code: 'unreachable',
      detail: 'The server cannot be reached. Is "loadcurve up" still running?',
    })
  }
  if (!response.ok) throw await readProblem(response)
  return response
}
