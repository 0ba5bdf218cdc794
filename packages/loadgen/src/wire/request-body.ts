/** The JSON body of one request, for either endpoint. */

import type { ChatMessage } from './chat.ts'

/** A prompt: messages for the chat endpoint, or one or more texts for completions. */
export type Prompt =
  | { readonly kind: 'messages'; readonly messages: readonly ChatMessage[] }
  | { readonly kind: 'texts'; readonly texts: readonly string[] }

export interface BodyOptions {
  readonly model: string
  readonly prompt: Prompt
  readonly outputTokens: number
  readonly stream: boolean
  /** Ask the server to go on to the asked length: `ignore_eos` and `min_tokens`, which not every server honours. */
  readonly ignoreEos: boolean
  /** Ask for running totals with each event (vLLM, SGLang). */
  readonly continuousUsage: boolean
  /** Answers to one prompt. */
  readonly n: number
  /** Extra fields of the plan; they win over ours. */
  readonly extraBody: Readonly<Record<string, unknown>>
}

/** The request body as JSON text. */
export function requestBody(options: BodyOptions): string {
  const { prompt } = options
  const texts = prompt.kind === 'texts' ? prompt.texts : []
  return JSON.stringify({
    model: options.model,
    ...(prompt.kind === 'messages'
      ? { messages: prompt.messages }
      : { prompt: texts.length === 1 ? texts[0] : texts }),
    max_tokens: options.outputTokens,
    ...(options.stream ? streamFields(options) : {}),
    ...(options.n > 1 ? { n: options.n } : {}),
    ...(options.ignoreEos ? { ignore_eos: true, min_tokens: options.outputTokens } : {}),
    ...options.extraBody,
  })
}

/** How many prompts the body holds. */
export function promptCount(prompt: Prompt): number {
  return prompt.kind === 'texts' ? prompt.texts.length : 1
}

function streamFields(options: BodyOptions): object {
  const continuous = options.continuousUsage ? { continuous_usage_stats: true } : {}
  return { stream: true, stream_options: { include_usage: true, ...continuous } }
}
