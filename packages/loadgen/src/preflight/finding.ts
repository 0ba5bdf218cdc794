/** One thing that preflight looked at: what it saw, and what to do about it. */

import type { ExchangeResult } from '../target/result.ts'
import type { NoAnswer } from '../target/visitor.ts'

export interface Finding {
  /** Stable; see the functions of preflight for each of them. */
  readonly code: string
  readonly ok: boolean
  /** A run cannot start, or would measure something else than it says. */
  readonly blocking: boolean
  /** One sentence. */
  readonly message: string
  /** One sentence; null when there is nothing to do. */
  readonly whatToDo: string | null
}

export function passed(code: string, message: string): Finding {
  return { code, ok: true, blocking: false, message, whatToDo: null }
}

/** Something is missing or odd, and the run can do without it. */
export function warning(code: string, message: string, whatToDo: string): Finding {
  return { code, ok: false, blocking: false, message, whatToDo }
}

export function blocker(code: string, message: string, whatToDo: string): Finding {
  return { code, ok: false, blocking: true, message, whatToDo }
}

const CONNECTION_ADVICE: {
  readonly [code: string]: { readonly message: string; readonly whatToDo: string }
} = {
  connection_refused: {
    message: 'nothing listens there',
    whatToDo: 'Start the server, or correct host and port of the base URL.',
  },
  name_not_found: {
    message: 'the host name does not exist',
    whatToDo: 'Correct the host name in the base URL, or make it resolvable on this machine.',
  },
  name_lookup_failed: {
    message: 'the host name could not be looked up',
    whatToDo: 'Check the name server of this machine, or write the address into the base URL.',
  },
  unreachable: {
    message: 'there is no route to it',
    whatToDo: 'Check network and firewall between this machine and the server.',
  },
  connect_timeout: {
    message: 'no connection came about in time',
    whatToDo: 'Check host, port and firewall; raise target.deadlines.connectMs if the network is slow.',
  },
  timeout: {
    message: 'it accepts connections but does not answer',
    whatToDo: 'Check that the port is an inference server’s and that the server is not stuck or overloaded.',
  },
  first_byte_timeout: {
    message: 'it took the request but did not begin to answer in time',
    whatToDo:
      'Check that the model is loaded and the server is not stuck or overloaded; raise target.deadlines.firstByteMs if it is just slow.',
  },
  not_http: {
    message: 'what answers there does not speak HTTP',
    whatToDo: 'Correct the port, or use https:// if the server wants TLS.',
  },
  tls_failed: {
    message: 'no TLS connection could be made',
    whatToDo:
      'Use http:// if the server has no TLS; otherwise set target.tls (caPem, or rejectUnauthorized: false).',
  },
  connection_reset: {
    message: 'it closes the connection without an answer',
    whatToDo: 'Use https:// if the server wants TLS; otherwise look at the server’s log.',
  },
  closed_early: {
    message: 'it closes the connection without an answer',
    whatToDo: 'Use https:// if the server wants TLS; otherwise look at the server’s log.',
  },
}

/** Why no answer came, as a blocking finding. */
export function unanswered(where: string, failure: Pick<NoAnswer, 'code' | 'message'>): Finding {
  const known = CONNECTION_ADVICE[failure.code]
  if (known !== undefined) return blocker(failure.code, `${where}: ${known.message}.`, known.whatToDo)
  return blocker(failure.code, `${where}: ${failure.message}.`, 'Correct the base URL of the target.')
}

const STATUS_ADVICE: { readonly [code: string]: string } = {
  unauthorized: 'Name the right key in target.apiKeyRef and put it into LOADCURVE_TARGET_KEY_<NAME>.',
  forbidden: 'Use a key that may use this model.',
  not_found: 'Correct the base URL (it ends in /v1 on most servers) or the model name.',
  rate_limited: 'Raise the server’s rate limit for this key, or test a server without one.',
  unavailable: 'Wait until the server has loaded its model.',
  redirect_not_followed: 'Use the URL that the server redirects to; redirects are never followed.',
  not_json: 'The base URL leads to a web page or proxy, not to an inference server: correct it.',
}

/** Why a request to the model failed, as a blocking finding. */
export function failedRequest(where: string, result: ExchangeResult): Finding {
  const code = result.errorCode ?? result.outcome
  if (result.outcome === 'connection_error' || result.outcome === 'timeout') {
    return unanswered(where, { code, message: result.errorText ?? code })
  }
  const status = result.httpStatus === null ? '' : ` with status ${result.httpStatus}`
  const words = result.errorText === null || code === 'not_json' ? '' : `: ${result.errorText}`
  const advice = STATUS_ADVICE[code] ?? 'Read the server’s own words above, and its log.'
  return blocker(code, `${where} answered${status} (${result.outcome}, ${code})${words}`, advice)
}
