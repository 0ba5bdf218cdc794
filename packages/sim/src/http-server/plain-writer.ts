/** Sends the answers as one JSON body when all are complete. */
import type { ServerResponse } from 'node:http'
import { monotonicMs } from '../engine/monotonic-clock.ts'
import { type Answer, answerText } from './answer.ts'
import { type AnswerContext, type AnswerWriter, reasoningAmong } from './answer-writer.ts'
import { sendJson } from './api-error.ts'
import { usageJson } from './stream-events.ts'

export class PlainWriter implements AnswerWriter {
  readonly #context: AnswerContext
  readonly #response: ServerResponse

  constructor(context: AnswerContext, response: ServerResponse) {
    this.#context = context
    this.#response = response
  }

  open(): void {}

  token(): void {}

  finish(): void {
    const { id, createdS, model, request, answers, stamped } = this.#context
    const chat = request.endpoint === 'chat'
    sendJson(this.#response, {
      id,
      object: chat ? 'chat.completion' : 'text_completion',
      created: createdS,
      model,
      choices: answers.map((answer, index) => (chat ? this.#message(answer, index) : textOf(answer, index))),
      usage: JSON.parse(this.#usage()),
      ...(stamped ? { sim: { writtenAtMs: monotonicMs() } } : {}),
    })
  }

  #message(answer: Answer, index: number): unknown {
    const { reasoningField, request, id } = this.#context
    const content = answerText(answer, 'content')
    const call = {
      id: `call-${id}-${index}`,
      type: 'function',
      function: { name: request.toolName, arguments: answerText(answer, 'tool') },
    }
    const tool = answer.shape === 'tool'
    const reasoning = answer.reasoningTokens > 0 ? { [reasoningField]: answerText(answer, 'reasoning') } : {}
    return {
      index,
      message: {
        role: 'assistant',
        content: tool || (content === '' && answer.tokens > 0) ? null : content,
        ...reasoning,
        ...(tool ? { tool_calls: [call] } : {}),
      },
      logprobs: null,
      finish_reason: answer.finishReason,
    }
  }

  #usage(): string {
    const { answers, promptTokens, cachedTokens } = this.#context
    const completionTokens = answers.reduce((sum, { tokens }) => sum + tokens, 0)
    const reasoningTokens = answers.reduce((sum, answer) => sum + reasoningAmong(answer, answer.tokens), 0)
    return usageJson({ promptTokens, completionTokens, reasoningTokens, cachedTokens: cachedTokens() })
  }
}

function textOf(answer: Answer, index: number): unknown {
  const text = answerText(answer, 'content')
  return { index, text, logprobs: null, finish_reason: answer.finishReason, stop_reason: null }
}
