/** Writes one answer, or several, as a stream of server-sent events. */

import { PLAIN_DRESS, type StreamDress } from '../faults/stream-dress.ts'
import { answerPiece, type Channel, type FinishReason } from './answer.ts'
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
import { STAMP, type StreamWire } from './stream-wire.ts'

const IN_BAND_ERROR =
  '{"message":"The engine stopped while generating.","type":"InternalServerError","param":null,"code":500}'

/** Stands in a frame where the token's text goes. */
const HERE = '\u0002'

export class StreamWriter implements AnswerWriter {
  readonly #context: AnswerContext
  readonly #dress: StreamDress
  readonly #wire: StreamWire
  readonly #head: string
  /** Per answer: tokens that wait for their event, and tokens sent. */
  readonly #held: { text: string; tokens: number }[]
  readonly #sent: number[]
  /** Per answer: the text of a plain token event, cut where the token goes. */
  readonly #frames: ({ before: string; after: string } | undefined)[] = []
  readonly #isPlain: boolean
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
    this.#isPlain = dress === PLAIN_DRESS && !context.request.continuousUsage
    this.#onBroken = onBroken
  }

  open(): void {
    this.#wire.open()
  }

  token(choice: number, index: number): void {
    if (this.#broken) return
    const answer = this.#context.answers[choice]
    if (answer === undefined) return
    const last = index === answer.tokens - 1
    const piece = answerPiece(answer, index)
    if (this.#isPlain && answer.shape === 'text' && piece.channel === 'content' && index > 0 && !last) {
      this.#writePlainToken(choice, piece.text)
      return
    }
    this.#hold(choice, piece.text)
    const channelEnds = !last && answerPiece(answer, index + 1).channel !== piece.channel
    const held = this.#held[choice]?.tokens ?? 0
    if (held >= this.#dress.tokensPerEvent || last || channelEnds) {
      this.#writeHeld(choice, piece.channel, { first: index + 1 === held, last })
    }
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

  /** Nearly every token of a run comes this way: words need no escaping, so two strings around one make the event. */
  #writePlainToken(choice: number, text: string): void {
    this.#sent[choice] = (this.#sent[choice] ?? 0) + 1
    const frame = this.#frames[choice] ?? this.#newFrame(choice)
    this.#wire.write(frame.before + text + frame.after)
  }

  #newFrame(choice: number): { before: string; after: string } {
    const { request, reasoningField } = this.#context
    const token = { channel: 'content', finishReason: null, text: HERE, reasoningField } as const
    const event = this.#event([tokenChoice({ ...token, endpoint: request.endpoint, index: choice })])
    const [before = '', after = ''] = event.split(JSON.stringify(HERE).slice(1, -1))
    const frame = { before, after }
    this.#frames[choice] = frame
    return frame
  }

  #hold(choice: number, text: string): void {
    const held = this.#held[choice]
    if (held === undefined) return
    held.text += text
    held.tokens++
  }

  #writeHeld(choice: number, channel: Channel, { first, last }: { first: boolean; last: boolean }): void {
    const held = this.#held[choice]
    const answer = this.#context.answers[choice]
    if (held === undefined || answer === undefined) return
    const { text, tokens } = held
    this.#held[choice] = { text: '', tokens: 0 }
    this.#sent[choice] = (this.#sent[choice] ?? 0) + tokens
    const finishReason = last && !this.#dress.omitFinish ? answer.finishReason : null
    this.#writeTokenEvent(first ? this.#opening(choice) : '', { choice, channel, text, finishReason })
  }

  #writeTokenEvent(
    opening: string,
    token: {
      choice: number
      channel: Channel
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
    const stamp = this.#context.stamped ? `,"sim":{"writtenAtMs":${STAMP}}` : ''
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
