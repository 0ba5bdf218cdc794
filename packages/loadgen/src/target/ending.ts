/** What an error of the HTTP client means: how the connection ended, in stable words. */

import type { PassedDeadline } from './deadlines.ts'
import type { Ending } from './outcome.ts'

/** We ended it ourselves. */
export const closedByUs: Ending = { kind: 'cancelled', code: 'cancelled', text: null }

const DEADLINE_TEXTS: { readonly [passed in PassedDeadline]: string } = {
  connect_timeout: 'no connection within the time allowed',
  first_byte_timeout: 'connected and sent, but no byte of an answer within the time allowed',
  idle_timeout: 'the answer fell silent for longer than allowed',
  total_timeout: 'the answer did not end within the time allowed',
  linger_over: 'the answer was complete, but its connection did not end',
}

const CODES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_lookup_failed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EMFILE: 'too_many_open_files',
  EADDRNOTAVAIL: 'ports_exhausted',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_SOCKET: 'closed_early',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'closed_early',
}

/** The passing of a deadline, as the end of a request. */
export function timeoutEnding(passed: PassedDeadline): Ending {
  return { kind: 'timeout', code: passed, text: DEADLINE_TEXTS[passed] }
}

/** How the connection ended, by the error that the client reported. */
export function endingOfError(error: Error): Ending {
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timeoutEnding('connect_timeout')
  if (isClosed(error)) return { kind: 'closed', code: 'closed_early', text: error.message }
  if (error.name === 'HTTPParserError') return { kind: 'failed', code: 'not_http', text: error.message }
  return { kind: 'failed', code: CODES[code] ?? stableWord(code), text: error.message || code }
}

/** A connection that was established and then lost. A refused or unknown host is not tried again. */
export function isRetryable(error: Error): boolean {
  return isClosed(error) || ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
}

/** A FIN before the answer was whole. */
function isClosed(error: Error): boolean {
  const code = codeOf(error)
  if (code === 'UND_ERR_SOCKET' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return true
  // A parser that fails with no bytes left to parse failed at the end of the stream: so it does when the connection
  // was to close after this answer anyway.
  return error.name === 'HTTPParserError' && (error as { data?: unknown }).data === ''
}

/** When several addresses were tried, the first one's failure speaks for them. */
function codeOf(error: Error): string {
  const own = (error as { code?: unknown }).code
  const first =
    error instanceof AggregateError ? (error.errors[0] as { code?: unknown } | undefined)?.code : null
  return String(own ?? first ?? 'unknown')
}

/** No TLS could be agreed on, or the certificate does not verify. */
const TLS_CODE = /^(EPROTO|ERR_SSL|ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/

function stableWord(code: string): string {
  if (TLS_CODE.test(code)) return 'tls_failed'
  return code.toLowerCase().replace(/[^a-z0-9]+/g, '_')
}
