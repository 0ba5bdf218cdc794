/**
 * Failures that a server reports inside an answer whose status was 200.
 *
 * Seen: `{"error": {"code", "message", "type"}}` (llama.cpp, vLLM, SGLang), `{"error": "text", "error_type"}` (TGI),
 * `{"object": "error", "message"}` (older vLLM), an event of type `error`, and a bare `error:` line (llama.cpp b4748).
 */

import { asObject, asText, type JsonObject, parseJson } from './json.ts'

export interface ReportedError {
  /** The server's own code or type, made a stable word; `unknown` when it gave none. */
  readonly code: string
  readonly text: string
}

/** The failure that this JSON object reports, or null when it reports none. */
export function reportedError(body: JsonObject): ReportedError | null {
  const error = body['error']
  if (typeof error === 'string' && error !== '') return { code: word(body['error_type']), text: error }
  const inner = asObject(error)
  if (inner !== null) return describe(inner)
  return body['object'] === 'error' ? describe(body) : null
}

/** The failure in an `error` event or `error:` line: JSON in either form, or plain text. */
export function errorFromText(text: string): ReportedError {
  const body = asObject(parseJson(text))
  if (body === null) return { code: 'unknown', text }
  return reportedError(body) ?? describe(body)
}

function describe(error: JsonObject): ReportedError {
  const text = asText(error['message']) || asText(error['detail']) || JSON.stringify(error)
  return { code: word(error['type'] ?? error['code']), text }
}

function word(value: unknown): string {
  const text = typeof value === 'number' ? `code_${value}` : asText(value)
  return text === ''
    ? 'unknown'
    : text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .slice(0, 60)
}
