/** Writes one answer, or several, as a stream of server-sent events. */

import { monotonicMs } from '../engine/monotonic-clock.ts'
import type { StreamDress } from '../faults/stream-dress.ts'
import { answerPiece, type FinishReason } from './answer.ts'
import { type AnswerContext, type AnswerWriter, reasoningAmong } from './answer-writer.ts'
import {
  emptyChoice,
  eventHead,
  finishChoice,
  roleChoice,
  tokenChoice,
  toolOpeningChoice,
  usageJson,
} from './stream-events.ts'
import type { StreamWire } from './stream-wire.ts'

const IN_BAND_ERROR =
  '{"message":"The engine stopped while generating.","type":"InternalServerError","param":null,"code":500}'

export class StreamWriter implements AnswerWriter {
  readonly #context: AnswerContext
  readonly #dress: StreamDress
  readonly #wire: StreamWire
  readonly #head: string
  /** Per answer: tokens that wait for their event, and tokens sent. */
  readonly #held: { text: string; tokens: number }[]
  readonly #sent: number[]
  #events = 0
  #broken = false
  /** Called when the stream broke off by a fault. */
  readonly #onBroken: () => void

  constructor(context: AnswerContext, wire: StreamWire, dress: StreamDress, onBroken: () => void) {
    this.#context = context
    this.#wire = wire
    this.#dress = dress
    this.#head = eventHead(context.request.endpoint, context.id, context.createdS, context.model)
    this.#held = context.answers.map(() => ({ text: '', tokens: 0 }))
    this.#sent = context.answers.map(() => 0)
    this.#onBroken = onBroken
  }

  open(): void {
    this.#wire.open()
  }

  token(choice: number, index: number): void {
    if (this.#broken) return
    const answer = this.#context.answers[choice]
    const held = this.#held[choice]
    if (answer === undefined || held === undefined) return
    const piece = answerPiece(answer, index)
    held.text += piece.text
    held.tokens++
    const last = index === answer.tokens - 1
    const channelEnds = !last && answerPiece(answer, index + 1).channel !== piece.channel
    if (held.tokens < this.#dress.tokensPerEvent && !last && !channelEnds) return
    const opening = index + 1 === held.tokens ? this.#opening(choice) : ''
    const { text } = held
    this.#sent[choice] = (this.#sent[choice] ?? 0) + held.tokens
    held.text = ''
    held.tokens = 0
    const finishReason = last && !this.#dress.omitFinish ? answer.finishReason : null
    this.#writeTokenEvent(opening, { choice, channel: piece.channel, text, finishReason })
  }

  finish(): void {
    if (this.#broken) return
    let tail = ''
    for (const [choice, answer] of this.#context.answers.entries()) {
      if (answer.tokens === 0)
        tail += this.#opening(choice) + this.#event([this.#finishOf(choice, answer.finishReason)])
    }
    if (this.#context.request.includeUsage && !this.#dress.omitUsage) tail += this.#event([], true)
    if (!this.#dress.omitDone) tail += 'data: [DONE]\n\n'
    if (tail !== '') this.#wire.write(tail)
    this.#wire.end()
  }

  #finishOf(choice: number, reason: FinishReason): string {
    return finishChoice(this.#context.request.endpoint, choice, this.#dress.omitFinish ? null : reason)
  }

  #writeTokenEvent(
    opening: string,
    token: {
      choice: number
      channel: 'content' | 'reasoning' | 'tool'
      text: string
      finishReason: FinishReason | null
    },
  ): void {
    const { endpoint, continuousUsage } = this.#context.request
    const { breakAt, beforeEvent, replaceText, emptyDeltas, usageInMidStream } = this.#dress
    if (breakAt !== null && this.#events >= breakAt.events) {
      this.#break()
      return
    }
    const index = this.#events++
    const text = replaceText === null ? token.text : replaceText(index, token.text)
    const { reasoningField } = this.#context
    const json = tokenChoice({ ...token, endpoint, index: token.choice, text, reasoningField })
    let out = opening + beforeEvent(index)
    if (emptyDeltas && index > 0) out += this.#event([emptyChoice(endpoint, token.choice)])
    out += this.#event([json], continuousUsage)
    if (usageInMidStream && index === 1) out += this.#event([], true)
    this.#wire.write(out)
  }

  /** What precedes an answer's first token. Chat streams name the role; a tool call names its function. */
  #opening(choice: number): string {
    const { request, id, answers } = this.#context
    if (request.endpoint === 'completions') return ''
    const role = this.#event([roleChoice(choice)])
    const tool = answers[choice]?.shape === 'tool'
    return tool
      ? role + this.#event([toolOpeningChoice(choice, `call-${id}-${choice}`, request.toolName)])
      : role
  }

  #event(choices: readonly string[], withUsage = false): string {
    const usage = withUsage ? `,"usage":${this.#usage()}` : ''
    const stamp = this.#context.stamped ? `,"sim":{"writtenAtMs":${monotonicMs()}}` : ''
    return this.#dress.frame(`${this.#head},"choices":[${choices.join(',')}]${usage}${stamp}}`)
  }

  #usage(): string {
    const { answers, promptTokens, cachedTokens } = this.#context
    let completionTokens = 0
    let reasoningTokens = 0
    for (const [choice, answer] of answers.entries()) {
      const sent = this.#sent[choice] ?? 0
      completionTokens += sent
      reasoningTokens += reasoningAmong(answer, sent)
    }
    return usageJson({ promptTokens, completionTokens, reasoningTokens, cachedTokens: cachedTokens() })
  }

  #break(): void {
    this.#broken = true
    switch (this.#dress.breakAt?.how) {
      case 'reset':
        this.#wire.reset()
        break
      case 'cut':
        this.#wire.cut()
        break
      case 'eof':
        this.#wire.end()
        break
      case 'error-event':
        this.#wire.write(`data: {"error":${IN_BAND_ERROR}}\n\n`)
        this.#wire.end()
        break
      case 'error-field':
        this.#wire.write(`error: ${IN_BAND_ERROR}\n\ndata: [DONE]\n\n`)
        this.#wire.end()
        break
    }
    this.#onBroken()
  }
}
