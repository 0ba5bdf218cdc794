import type { ServerResponse } from 'node:http'

/** A refusal in vLLM's shape: `{"error": {message, type, param, code}}`, code being the status. */
export interface ApiError {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly param: string | null
}

export function badRequest(message: string, param: string | null = null): ApiError {
  return { status: 400, type: 'BadRequestError', message, param }
}

export function notFound(message: string): ApiError {
  return { status: 404, type: 'NotFoundError', message, param: null }
}

export function errorBody({ status, type, message, param }: ApiError): string {
  return JSON.stringify({ error: { message, type, param, code: status } })
}

export function sendError(
  response: ServerResponse,
  error: ApiError,
  headers: Record<string, string> = {},
): void {
  sendText(response, { status: error.status, type: 'application/json', body: errorBody(error), headers })
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  sendText(response, { status, type: 'application/json', body: JSON.stringify(value), headers: {} })
}

export function sendText(
  response: ServerResponse,
  answer: { status: number; type: string; body: string; headers: Record<string, string> },
): void {
  const { status, type, body, headers } = answer
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers })
  response.end(body)
}
