import type { Answer } from './answer.ts'
import type { CompletionRequest } from './completion-request.ts'

/** How the tokens of one request reach its client. Two kinds: as a stream of events, or as one body at the end. */
export interface AnswerWriter {
  /** Before the first token. */
  open(): void
  /** Token `index` of answer `choice` was generated. */
  token(choice: number, index: number): void
  /** Every answer is complete. */
  finish(): void
}

/** What both kinds need to know. */
export interface AnswerContext {
  readonly id: string
  readonly createdS: number
  readonly model: string
  readonly request: CompletionRequest
  readonly answers: readonly Answer[]
  /** Prompt tokens of all prompts together, and those that the prefix cache supplied (known once they ran). */
  readonly promptTokens: number
  readonly cachedTokens: () => number | null
  readonly reasoningField: 'reasoning_content' | 'reasoning'
  /** Each event carries the instant of its write. */
  readonly stamped: boolean
}

/** Reasoning tokens among the first `tokens` of an answer. */
export function reasoningAmong(answer: Answer, tokens: number): number {
  return Math.min(answer.reasoningTokens, tokens)
}
