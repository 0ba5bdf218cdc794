/**
 * One request to a target and its answer. The world's failures never reject: they are outcomes.
 *
 * On the way in, a chunk is stamped and queued, nothing else (wire/parse-queue); the answer is judged once all of it
 * has been read. A connection that dies before the first byte of the answer is tried again and counted: a server may
 * close a kept-alive connection at the very moment it is used again. After the first byte nothing is ever repeated.
 */

import { setMaxListeners } from 'node:events'
import type { Dispatcher } from 'undici'
import { type ChoiceText, chatText } from '../wire/chat.ts'
import { completionsText } from '../wire/completions.ts'
import type { JsonObject } from '../wire/json.ts'
import { requestBody } from '../wire/request-body.ts'
import { ResponseReader } from '../wire/response-reader.ts'
import type { Target } from './agent.ts'
import type { PassedDeadline, Sweepable } from './deadlines.ts'
import { closedByUs, endingOfError, isRetryable, timeoutEnding } from './ending.ts'
import type { Ending } from './outcome.ts'
import {
  type ExchangeHooks,
  type ExchangeRequest,
  type ExchangeResult,
  exchangeResult,
  sequencesOf,
} from './result.ts'

export type { ExchangeHooks, ExchangeRequest, ExchangeResult } from './result.ts'

/** Re-sending is for connections that were already dead; a server that keeps hanging up is down. */
const RETRIES_MAX = 2

const TEXT_OF: { readonly [endpoint: string]: (choice: JsonObject) => ChoiceText } = {
  chat: chatText,
  completions: completionsText,
}

const PATHS = { chat: '/chat/completions', completions: '/completions' } as const

/**
 * Sends one request and reads its answer. Instants are on the target's clock.
 *
 * @returns when the answer has ended and all of it has been read; never rejects for what the target does
 */
export function exchange(
  target: Target,
  request: ExchangeRequest,
  hooks: ExchangeHooks = {},
): Promise<ExchangeResult> {
  return new Promise((resolve) => new Exchange(target, request, hooks, resolve).dispatch())
}

class Exchange implements Dispatcher.DispatchHandler, Sweepable {
  readonly dispatchedAtMs: number
  sentAtMs: number | null = null
  firstByteAtMs: number | null = null
  lastByteAtMs: number | null = null
  readonly #target: Target
  readonly #request: ExchangeRequest
  readonly #hooks: ExchangeHooks
  readonly #resolve: (result: ExchangeResult) => void
  readonly #body: string
  readonly #reader: ResponseReader
  #controller: Dispatcher.DispatchController | null = null
  #httpStatus: number | null = null
  #ending: Ending | null = null
  #closedAtMs: number | null = null
  #retries = 0

  constructor(
    target: Target,
    request: ExchangeRequest,
    hooks: ExchangeHooks,
    resolve: (result: ExchangeResult) => void,
  ) {
    this.#target = target
    this.#request = request
    this.#hooks = hooks
    this.#resolve = resolve
    this.dispatchedAtMs = target.nowMs()
    this.#body = requestBody(request)
    this.#reader = new ResponseReader(
      {
        textOf: TEXT_OF[target.endpoint] ?? chatText,
        expectJson: request.expectJson,
        keepText: request.keepText ?? false,
        onContentEvent: hooks.onContentEvent ?? ignore,
      },
      () => this.#settle(),
    )
  }

  /** The answer is complete (or has failed) by its own words, and only its connection has not ended. */
  get completeAtMs(): number | null {
    const { done, error, finishReasons } = this.#reader.observation
    const complete = done || error !== null || finishReasons.size >= sequencesOf(this.#request)
    return complete ? this.lastByteAtMs : null
  }

  get done(): boolean {
    return this.#reader.observation.done
  }

  dispatch(): void {
    const signals = [this.#target.closing, ...(this.#hooks.signal === undefined ? [] : [this.#hooks.signal])]
    if (signals.some((signal) => signal.aborted)) {
      this.#end(closedByUs, this.dispatchedAtMs)
      return
    }
    for (const signal of signals) {
      setMaxListeners(0, signal)
      signal.addEventListener('abort', this.#onAbort)
    }
    this.#target.sweep.add(this)
    this.#send()
  }

  // What undici calls, in this order.

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection.
    if (this.#ending !== null) controller.abort(new Error('the request was given up before it was sent'))
    else {
      this.#controller = controller
      this.sentAtMs = this.#target.nowMs()
    }
  }

  onResponseStarted(): void {
    this.firstByteAtMs ??= this.#target.nowMs()
    this.lastByteAtMs = this.firstByteAtMs
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Dispatcher.ResponseData['headers'],
  ): void {
    if (status < 200) return
    this.#httpStatus = status
    this.#reader.start(first(headers['content-type']), first(headers['content-encoding']))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const atMs = this.#target.nowMs()
    this.lastByteAtMs = atMs
    this.#target.queue.push(this.#reader, chunk, atMs)
  }

  onResponseEnd(): void {
    this.#end({ kind: 'end', code: null, text: null }, this.#target.nowMs())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#ending !== null) return
    const untouched = this.firstByteAtMs === null && this.sentAtMs !== null
    if (untouched && this.#retries < RETRIES_MAX && isRetryable(error)) this.#retry()
    else this.#end(endingOfError(error), this.#target.nowMs())
  }

  /** Called by the sweep. */
  onDeadline(passed: PassedDeadline): void {
    // The answer is whole and only its connection stays open: that is no failure.
    this.#end(
      passed === 'linger_over' ? { kind: 'end', code: null, text: null } : timeoutEnding(passed),
      this.#target.nowMs(),
    )
    this.#controller?.abort(new Error(passed))
  }

  #retry(): void {
    this.#retries++
    this.#target.countRetry()
    this.sentAtMs = null
    this.#send()
  }

  #send(): void {
    const { pool, basePath, endpoint, headers } = this.#target
    pool.dispatch(
      { method: 'POST', path: `${basePath}${PATHS[endpoint]}`, headers: { ...headers }, body: this.#body },
      this,
    )
  }

  readonly #onAbort = (): void => {
    this.#end(closedByUs, this.#target.nowMs())
    this.#controller?.abort(new Error('cancelled'))
  }

  /** The transport has ended; what it carried is still to be read. */
  #end(ending: Ending, atMs: number): void {
    if (this.#ending !== null) return
    this.#ending = ending
    this.#closedAtMs = atMs
    this.#target.sweep.delete(this)
    this.#target.closing.removeEventListener('abort', this.#onAbort)
    this.#hooks.signal?.removeEventListener('abort', this.#onAbort)
    this.#target.queue.end(this.#reader, atMs)
    const { onConnectionFree } = this.#hooks
    // undici frees the connection in an immediate of its own, which it sets after this call.
    if (onConnectionFree !== undefined) queueMicrotask(() => setImmediate(onConnectionFree))
  }

  #settle(): void {
    this.#resolve(
      exchangeResult({
        request: this.#request,
        reader: this.#reader,
        ending: this.#ending ?? closedByUs,
        httpStatus: this.#httpStatus,
        apiKey: this.#target.apiKey,
        retries: this.#retries,
        sentAtMs: this.sentAtMs,
        firstByteAtMs: this.firstByteAtMs,
        closedAtMs: this.#closedAtMs,
      }),
    )
  }
}

function ignore(): void {}

function first(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? ''
}
