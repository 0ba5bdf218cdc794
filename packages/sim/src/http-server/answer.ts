/**
 * What one sequence says: its length, why it ends, and the text of each token. Every token of plain text is one word
 * of at most four letters, so that the simulator's tokenizer counts the finished text to exactly the tokens generated.
 */
import type { ChosenFault } from '../faults/catalogue.ts'
import { drawLength, type LengthLaw } from '../model/lengths.ts'
import { seededChance } from '../random.ts'
import type { CompletionRequest, OutputShape } from './completion-request.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'
export type Channel = 'content' | 'reasoning' | 'tool'

export interface Answer {
  /** Tokens to generate, >= 1 (0 only for a fault's empty answer). */
  readonly tokens: number
  readonly finishReason: FinishReason
  readonly shape: OutputShape
  /** The first tokens are reasoning. */
  readonly reasoningTokens: number
  /** Where the structured value is complete; all later tokens are line feeds. Equal to `tokens` for plain text. */
  readonly closesAtToken: number
  /** Text that a stop string cut off the last token; null: nothing cut. */
  readonly lastText: string | null
  readonly wordSeed: number
}

const WORDS = (
  'the of and to in is it you that he was for on are with as his they be at one have this from or had by hot but some ' +
  'what were we can out all your when up use word how said an each she do if will way many then them like so her long ' +
  'make see him two has look more day go come did my no most who over know than call may down side been now find any ' +
  'new work part take get made live back only year came show good me give our name very just form line'
).split(' ')

export interface AnswerInput {
  readonly request: CompletionRequest
  readonly promptTokens: number
  readonly maxModelTokens: number
  readonly answerTokens: LengthLaw
  readonly reasons: boolean
  readonly fault: ChosenFault | null
  readonly seed: number
}

export function planAnswer(input: AnswerInput): Answer {
  const { request, fault, seed } = input
  const { tokens, ended } = answerLength(input)
  const wordSeed = Math.floor(seededChance(request.seed ?? seed, 'words')() * 2 ** 31)
  const structured = request.shape !== 'text'
  const rests = structured && request.ignoreEos && tokens > 4
  const plain: Answer = {
    tokens,
    finishReason: request.shape === 'tool' ? 'tool_calls' : structured || ended ? 'stop' : 'length',
    shape: request.shape,
    reasoningTokens: reasoningTokens(input, tokens),
    closesAtToken: rests ? Math.ceil(tokens * 0.75) : tokens,
    lastText: null,
    wordSeed,
  }
  const faulty = fault === null ? plain : faultyAnswer(plain, fault)
  return request.stop.length === 0 ? faulty : stoppedAnswer(faulty, request.stop)
}

/** Text of token `index` (from 0) and where it belongs. */
export function answerPiece(
  answer: Answer,
  index: number,
): { readonly channel: Channel; readonly text: string } {
  if (index < answer.reasoningTokens) return { channel: 'reasoning', text: word(answer, index) }
  if (answer.lastText !== null && index === answer.tokens - 1)
    return { channel: 'content', text: answer.lastText }
  if (answer.shape === 'text') return { channel: 'content', text: word(answer, index) }
  return { channel: answer.shape === 'tool' ? 'tool' : 'content', text: structuredPiece(answer, index) }
}

/** All text of one channel. */
export function answerText(answer: Answer, channel: Channel): string {
  let text = ''
  for (let index = 0; index < answer.tokens; index++) {
    const piece = answerPiece(answer, index)
    if (piece.channel === channel) text += piece.text
  }
  return text
}

function answerLength(input: AnswerInput): { tokens: number; ended: boolean } {
  const { request, promptTokens, maxModelTokens, answerTokens, fault, seed } = input
  const room = Math.min(request.maxTokens ?? maxModelTokens, maxModelTokens - promptTokens)
  const obeys = fault?.name !== 'eos-not-ignored'
  if (obeys && request.ignoreEos) return { tokens: room, ended: false }
  const drawn = drawLength(answerTokens, seededChance(request.seed ?? seed, 'answer length'))
  const natural = obeys ? Math.max(drawn, request.minTokens) : Math.min(drawn, Math.ceil(room * 0.6))
  return natural <= room ? { tokens: natural, ended: true } : { tokens: room, ended: false }
}

function reasoningTokens({ request, reasons, fault }: AnswerInput, tokens: number): number {
  if (request.endpoint !== 'chat') return 0
  if (fault?.name === 'reasoning-only') return tokens
  return reasons || request.thinking ? Math.floor(tokens / 2) : 0
}

function faultyAnswer(answer: Answer, fault: ChosenFault): Answer {
  const half = Math.ceil(answer.tokens / 2)
  switch (fault.name) {
    case 'length-cut':
      return { ...answer, tokens: half, closesAtToken: half, finishReason: 'stop' }
    case 'content-filter':
      return { ...answer, tokens: half, finishReason: 'content_filter' }
    case 'empty-answer':
      return { ...answer, tokens: 0, reasoningTokens: 0, finishReason: 'stop' }
    case 'invalid-json':
      // The value would be complete one token after the last.
      return { ...answer, closesAtToken: answer.tokens + 1, finishReason: 'stop' }
    default:
      return answer
  }
}

/** Ends at the token that completes a stop string. That token is cut before the string; what had left before stays sent. */
function stoppedAnswer(answer: Answer, stop: readonly string[]): Answer {
  let text = ''
  const longest = Math.max(...stop.map(({ length }) => length))
  for (let index = answer.reasoningTokens; index < answer.tokens; index++) {
    const before = text.length
    text += answerPiece(answer, index).text
    // Only where this token could complete one: from the start, a long answer would cost its square.
    const from = Math.max(0, before - longest)
    const found = stop.map((entry) => text.indexOf(entry, from)).filter((at) => at >= 0)
    if (found.length === 0) continue
    const lastText = text.slice(before, Math.max(before, Math.min(...found)))
    return { ...answer, tokens: index + 1, closesAtToken: index + 1, finishReason: 'stop', lastText }
  }
  return answer
}

function structuredPiece(answer: Answer, index: number): string {
  const at = index - answer.reasoningTokens
  const last = answer.closesAtToken - answer.reasoningTokens - 1
  if (at > last) return '\n'
  if (last === 0) return '{}'
  if (at === 0) return '{"text":"'
  return at === last ? '"}' : word(answer, index)
}

function word(answer: Answer, index: number): string {
  // A multiplicative hash: neighbouring tokens get unrelated words, without a generator per sequence.
  const mixed = Math.imul(answer.wordSeed + index, 0x9e3779b1) >>> 8
  return ` ${WORDS[mixed % WORDS.length]}`
}
