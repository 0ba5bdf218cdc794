/** What one exchange leaves behind: the request-level fields of a sample, from the transport and the reader. */

import type { Sample } from '@loadcurve/core/metrics/sample'
import { type BodyOptions, promptCount } from '../wire/request-body.ts'
import type { ResponseReader } from '../wire/response-reader.ts'
import { type Ending, judge, type TaskFailure } from './outcome.ts'
import { redacted } from './redact.ts'

export interface ExchangeRequest extends BodyOptions {
  readonly expectJson: boolean
  readonly failOn: readonly TaskFailure[]
  /** Keep the text of the answer: for preflight and tests, not under load. */
  readonly keepText?: boolean
}

export interface ExchangeHooks {
  /** A content event was received: its receive instant and, when the server tells, its number of tokens. */
  readonly onContentEvent?: (atMs: number, tokens: number | null) => void
  /** The transport has ended and its connection can be used again; some of the answer may still have to be read. */
  readonly onConnectionFree?: () => void
  readonly signal?: AbortSignal
}

/** The fields of a sample that one exchange settles; the executor knows the others. */
export type ExchangeResult = Omit<
  Sample,
  | 'index'
  | 'phase'
  | 'scheduledAtMs'
  | 'dispatchedAtMs'
  | 'inputTokensAsked'
  | 'outputTokensAsked'
  | 'contentEventsInWindow'
> & {
  readonly text: string
  readonly reasoningText: string
  /** The `model` that the server named in its answer. */
  readonly model: string | null
  readonly comments: number
  /** The answer came as one JSON body, not as a stream. */
  readonly whole: boolean
}

/** What the exchange itself knows when it is over. */
export interface Exchanged {
  readonly request: ExchangeRequest
  readonly reader: ResponseReader
  readonly ending: Ending
  readonly httpStatus: number | null
  readonly apiKey: string | null
  readonly retries: number
  readonly sentAtMs: number | null
  readonly firstByteAtMs: number | null
  readonly closedAtMs: number | null
}

/** How many answers the request asks for. */
export function sequencesOf(request: ExchangeRequest): number {
  return request.n * promptCount(request.prompt)
}

/** The result of an exchange whose answer has been read to its end. */
export function exchangeResult(exchanged: Exchanged): ExchangeResult {
  const { observation } = exchanged.reader
  const tokens = tokensOf(exchanged)
  return {
    ...judgement(exchanged, tokens.outputTokens),
    httpStatus: exchanged.httpStatus,
    retries: exchanged.retries,
    sentAtMs: exchanged.sentAtMs,
    firstByteAtMs: exchanged.firstByteAtMs,
    firstContentAtMs: observation.firstContentAtMs,
    firstVisibleAtMs: observation.firstVisibleAtMs,
    lastContentAtMs: observation.lastContentAtMs,
    validJsonAtMs: observation.validJsonAtMs,
    closedAtMs: exchanged.closedAtMs,
    ...tokens,
    // A whole body is one event that holds every token: no time lies between them.
    firstEventTokens: observation.whole ? tokens.outputTokens : observation.firstEventTokens,
    contentEvents: observation.contentEvents,
    sequences: sequencesOf(exchanged.request),
    finishReason: joined(observation.finishReasons),
    text: observation.text,
    reasoningText: observation.reasoningText,
    model: observation.model,
    comments: observation.comments,
    whole: observation.whole,
  }
}

function tokensOf({ reader, request }: Exchanged) {
  const counts = reader.observation.usage.counts(promptCount(request.prompt))
  const reasons = [...reader.observation.finishReasons.values()]
  const outputTokens = isOneOfSeveral(reasons, counts.outputTokens, request) ? null : counts.outputTokens
  return {
    ...counts,
    outputTokens,
    inputTokensSource: counts.inputTokens === null ? ('unknown' as const) : ('usage' as const),
    outputTokensSource: outputTokens === null ? ('unknown' as const) : ('usage' as const),
  }
}

/** llama.cpp counts only the first of n answers in a whole body: n cut answers cannot hold the tokens of one. */
function isOneOfSeveral(
  reasons: readonly string[],
  outputTokens: number | null,
  request: ExchangeRequest,
): boolean {
  const cut = reasons.length > 1 && reasons.every((reason) => reason === 'length')
  return cut && outputTokens === request.outputTokens
}

function judgement(exchanged: Exchanged, outputTokens: number | null) {
  const { observation, kind, bodyText } = exchanged.reader
  const judged = judge({
    ending: exchanged.ending,
    httpStatus: exchanged.httpStatus,
    bodyKind: kind,
    bodyText,
    error: observation.error,
    done: observation.done,
    finishReasons: [...observation.finishReasons.values()],
    contentEvents: observation.contentEvents,
    outputTokens,
    isValidJson: observation.isValidJson,
    sequences: sequencesOf(exchanged.request),
    failOn: exchanged.request.failOn,
  })
  return { ...judged, errorText: redacted(judged.errorText, exchanged.apiKey) }
}

function joined(reasons: ReadonlyMap<number, string>): string | null {
  const kinds = [...new Set(reasons.values())]
  return kinds.length === 0 ? null : kinds.join('+')
}
