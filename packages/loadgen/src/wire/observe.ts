/**
 * What the events of one answer say: when there was text, how much, and how it ended.
 *
 * An event is content when it carries non-empty text of any kind (METRICS.md); a role, an empty delta, a usage
 * report, progress, `null` or a comment is not. An event is not a token: tokens come from the server's own counts.
 */

import type { ChoiceText } from './chat.ts'
import type { EventSink } from './event-stream.ts'
import { errorFromText, type ReportedError, reportedError } from './in-band-error.ts'
import { asObject, asText, type JsonObject, parseJson } from './json.ts'
import { JsonValueWatch } from './json-value.ts'
import { UsageTally } from './usage.ts'

export interface ObserveOptions {
  readonly textOf: (choice: JsonObject) => ChoiceText
  /** Watch for the instant at which each choice's visible text is one JSON value. */
  readonly expectJson: boolean
  /** Keep the text (for preflight and tests; a load run does not). */
  readonly keepText: boolean
  /** A content event was received: its instant and, when the server tells, its number of tokens. */
  readonly onContentEvent: (atMs: number, tokens: number | null) => void
}

const KEPT_TEXT_MAX = 1024 * 1024

export class Observation implements EventSink {
  /** Receive instant of the bytes that are being read, ms. The reader sets it before each chunk. */
  atMs = 0
  /** `[DONE]` was seen. */
  done = false
  error: ReportedError | null = null
  contentEvents = 0
  firstContentAtMs: number | null = null
  firstVisibleAtMs: number | null = null
  lastContentAtMs: number | null = null
  firstEventTokens: number | null = null
  text = ''
  reasoningText = ''
  comments = 0
  /** The answer was one JSON body, not a stream: its only event holds all of its tokens. */
  whole = false
  /** The `model` that the server names in its answer. */
  model: string | null = null
  readonly usage = new UsageTally()
  /** Finish reason by choice. */
  readonly finishReasons = new Map<number, string>()
  readonly #options: ObserveOptions
  readonly #watches = new Map<number, JsonValueWatch>()

  constructor(options: ObserveOptions) {
    this.#options = options
  }

  /** When the last of the choices became one JSON value; null unless all of them did. */
  get validJsonAtMs(): number | null {
    const instants = [...this.#watches.values()].map((watch) => watch.completeAtMs)
    return instants.length === 0 || instants.includes(null) ? null : Math.max(...instants.map(Number))
  }

  /** Whether the visible text of every choice is, as a whole, one JSON value. */
  get isValidJson(): boolean {
    return this.#watches.size > 0 && [...this.#watches.values()].every((watch) => watch.isValid())
  }

  onEvent(data: string, type: string): void {
    if (data === '[DONE]' || (data.length < 12 && data.trim() === '[DONE]')) {
      this.done = true
      return
    }
    const value = parseJson(data)
    const event = asObject(value)
    if (type === 'error') this.onErrorField(data)
    else if (event !== null) this.#onJson(event)
    else if (value === undefined && data.trim() !== '') this.#fail({ code: 'malformed_event', text: data })
  }

  onErrorField(text: string): void {
    this.#fail(errorFromText(text))
  }

  onComment(): void {
    this.comments++
  }

  onTooLong(): void {
    this.#fail({ code: 'event_too_long', text: 'an event of the answer was longer than the client keeps' })
  }

  /** Reads an answer that is one JSON body; `message` and `text` stand where a stream has deltas. */
  onBody(body: JsonObject): void {
    this.whole = true
    this.#onJson(body)
  }

  #fail(error: ReportedError): void {
    this.error ??= error
  }

  #onJson(event: JsonObject): void {
    const error = reportedError(event)
    if (error !== null) {
      this.#fail(error)
      return
    }
    const choices = event['choices']
    const first = Array.isArray(choices) ? asObject(choices[0]) : null
    if (this.model === null && typeof event['model'] === 'string') this.model = event['model']
    if (!this.whole) this.#addCounts(event, first)
    if (Array.isArray(choices)) this.#onChoices(choices)
    // A whole body has one usage for all of its choices, which have finished by now.
    if (this.whole) this.#addCounts(event, null)
  }

  #addCounts(event: JsonObject, choice: JsonObject | null): void {
    const index = choice === null ? null : indexOf(choice)
    const usage = event['usage'] ? asObject(event['usage']) : null
    if (usage !== null && index === null)
      this.usage.addUsage(usage, Math.max(this.finishReasons.size, this.whole ? 1 : 0))
    else if (usage !== null) this.usage.addChoiceUsage(usage, index ?? 0)
    const timings = event['timings'] ? asObject(event['timings']) : null
    if (timings !== null) this.usage.addTimings(timings, index)
  }

  #onChoices(choices: readonly unknown[]): void {
    let content = false
    let visible = false
    let tokens: number | null = null
    for (const item of choices) {
      const choice = asObject(item)
      if (choice === null) continue
      const index = indexOf(choice)
      if (choice['finish_reason']) this.#onFinish(index, asText(choice['finish_reason']))
      const text = this.#options.textOf(choice)
      if (text.visible === '' && text.reasoning === '') continue
      content = true
      if (text.visible !== '') visible = true
      if (!this.whole) tokens = this.usage.tokensOfEvent(index) ?? tokens
      this.#keep(text, index)
    }
    if (content) this.#onContent(visible, tokens)
  }

  #onContent(visible: boolean, tokens: number | null): void {
    this.contentEvents++
    if (this.firstContentAtMs === null) {
      this.firstContentAtMs = this.atMs
      this.firstEventTokens = tokens
    }
    if (visible) this.firstVisibleAtMs ??= this.atMs
    this.lastContentAtMs = this.atMs
    this.#options.onContentEvent(this.atMs, tokens)
  }

  #onFinish(index: number, reason: string): void {
    // vLLM and SGLang end a request that they gave up this way.
    if (reason === 'abort' || reason === 'error')
      this.#fail({
        code: `finish_${reason}`,
        text: `the server ended the answer with finish_reason "${reason}"`,
      })
    this.finishReasons.set(index, reason)
  }

  #keep(text: ChoiceText, index: number): void {
    if (this.#options.expectJson && text.visible !== '') this.#watchOf(index).add(text.visible, this.atMs)
    if (!this.#options.keepText || this.text.length + this.reasoningText.length > KEPT_TEXT_MAX) return
    this.text += text.visible
    this.reasoningText += text.reasoning
  }

  #watchOf(index: number): JsonValueWatch {
    const known = this.#watches.get(index)
    if (known !== undefined) return known
    const watch = new JsonValueWatch()
    this.#watches.set(index, watch)
    return watch
  }
}

function indexOf(choice: JsonObject): number {
  return typeof choice['index'] === 'number' ? choice['index'] : 0
}
