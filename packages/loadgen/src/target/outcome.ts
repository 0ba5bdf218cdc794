/**
 * How a request ended, from what the transport and the answer said. The order of the rules is the definition:
 * what we did ourselves, then the status, then an error inside the answer, then whether the answer is complete, and
 * only for an incomplete one how the connection ended. A reset after the finish reason harms nobody.
 */

import type { Outcome } from '@loadcurve/core/metrics/sample'
import type { ReportedError } from '../wire/in-band-error.ts'
import type { BodyKind } from '../wire/response-reader.ts'

/** How the transport ended: `end` a complete message; `closed` a FIN in the middle; `failed` any other failure. */
export interface Ending {
  readonly kind: 'end' | 'closed' | 'failed' | 'timeout' | 'cancelled'
  readonly code: string | null
  readonly text: string | null
}

/** Answers that came whole but failed at their task; they fail only when the plan says so. */
export type TaskFailure = 'length_cut' | 'content_filter' | 'invalid_json'

export interface Facts {
  readonly ending: Ending
  readonly httpStatus: number | null
  readonly bodyKind: BodyKind
  readonly bodyText: string
  readonly error: ReportedError | null
  readonly done: boolean
  readonly finishReasons: readonly string[]
  readonly contentEvents: number
  readonly outputTokens: number | null
  readonly isValidJson: boolean
  readonly sequences: number
  readonly failOn: readonly TaskFailure[]
}

export interface Judgement {
  readonly outcome: Outcome
  readonly errorCode: string | null
  readonly errorText: string | null
}

const STATUS_CODES: { readonly [status: number]: string } = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  413: 'too_large',
  422: 'bad_request',
  429: 'rate_limited',
  500: 'server_error',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
}

/** The outcome of one request (METRICS.md), with a stable code and the server's words when it failed. */
export function judge(facts: Facts): Judgement {
  const { ending, httpStatus } = facts
  if (ending.kind === 'cancelled') return failure('cancelled', ending.code ?? 'cancelled', ending.text)
  if (httpStatus === null) return judgeUnanswered(ending)
  if (httpStatus < 200 || httpStatus > 299) return judgeStatus(httpStatus, facts)
  if (facts.error !== null) return failure('in_band_error', facts.error.code, facts.error.text)
  if (isComplete(facts)) return judgeTask(facts)
  return judgeIncomplete(facts)
}

function failure(outcome: Outcome, errorCode: string, errorText: string | null): Judgement {
  return { outcome, errorCode, errorText }
}

function judgeUnanswered(ending: Ending): Judgement {
  if (ending.kind === 'timeout') return failure('timeout', ending.code ?? 'timeout', ending.text)
  return failure('connection_error', ending.code ?? 'closed_before_answer', ending.text)
}

function judgeStatus(status: number, facts: Facts): Judgement {
  const code =
    status >= 300 && status < 400 ? 'redirect_not_followed' : (STATUS_CODES[status] ?? `http_${status}`)
  return failure('http_error', code, facts.error?.text ?? (facts.bodyText || null))
}

/** One finish reason per sequence, or `[DONE]`, or a whole body that holds choices. */
function isComplete(facts: Facts): boolean {
  if (facts.bodyKind === 'json') return facts.ending.kind === 'end' && hasAnswer(facts)
  return facts.done || facts.finishReasons.length >= facts.sequences
}

function hasAnswer(facts: Facts): boolean {
  return facts.finishReasons.length > 0 || facts.contentEvents > 0
}

function judgeTask(facts: Facts): Judgement {
  const { failOn, finishReasons } = facts
  // A server that reports a token (the end token of an empty answer) did answer; otherwise nothing came.
  if (facts.contentEvents === 0 && !(facts.outputTokens ?? 0)) return failure('empty', 'no_tokens', null)
  const failed = failOn.find((rule) => {
    if (rule === 'content_filter') return finishReasons.includes('content_filter')
    return rule === 'length_cut' ? finishReasons.includes('length') : !facts.isValidJson
  })
  if (failed !== undefined) return failure(failed, failed, null)
  return { outcome: 'ok', errorCode: null, errorText: null }
}

function judgeIncomplete(facts: Facts): Judgement {
  const { ending, bodyKind } = facts
  if (ending.kind === 'timeout') return failure('timeout', ending.code ?? 'timeout', ending.text)
  if (ending.kind === 'failed')
    return failure('connection_error', ending.code ?? 'connection_failed', ending.text)
  if (ending.kind === 'closed') return failure('truncated', 'closed_early', ending.text)
  if (bodyKind === 'other') return failure('in_band_error', 'not_json', facts.bodyText)
  if (bodyKind === 'json') return failure('in_band_error', 'not_a_completion', facts.bodyText)
  return failure('truncated', 'ended_early', null)
}
