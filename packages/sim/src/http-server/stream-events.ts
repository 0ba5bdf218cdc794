/** The JSON of streamed events, in OpenAI's shapes with vLLM's habits. Strings are put together, not objects
 * serialised: this runs once per token and stream. */
import type { Channel, FinishReason } from './answer.ts'
import type { Endpoint } from './completion-request.ts'

export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
  /** Null: the server does not tell. */
  readonly cachedTokens: number | null
}

/** Everything before `"choices"`. */
export function eventHead(endpoint: Endpoint, id: string, createdS: number, model: string): string {
  const object = endpoint === 'chat' ? 'chat.completion.chunk' : 'text_completion'
  return `{"id":"${id}","object":"${object}","created":${createdS},"model":${JSON.stringify(model)}`
}

export function roleChoice(index: number): string {
  return `{"index":${index},"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`
}

export function emptyChoice(endpoint: Endpoint, index: number): string {
  return endpoint === 'chat' ? choice(index, '"delta":{"content":""}', null) : textChoice(index, '', null)
}

/** An answer without a token: only the finish reason. */
export function finishChoice(endpoint: Endpoint, index: number, reason: FinishReason | null): string {
  return endpoint === 'chat' ? choice(index, '"delta":{}', reason) : textChoice(index, '', reason)
}

export interface TokenChoice {
  readonly endpoint: Endpoint
  readonly index: number
  readonly channel: Channel
  readonly text: string
  readonly finishReason: FinishReason | null
  readonly reasoningField: 'reasoning_content' | 'reasoning'
}

export function tokenChoice(token: TokenChoice): string {
  if (token.endpoint === 'completions') return textChoice(token.index, token.text, token.finishReason)
  const text = JSON.stringify(token.text)
  const delta =
    token.channel === 'content'
      ? `{"content":${text}}`
      : token.channel === 'reasoning'
        ? `{"${token.reasoningField}":${text}}`
        : `{"tool_calls":[{"index":0,"function":{"arguments":${text}}}]}`
  return choice(token.index, `"delta":${delta}`, token.finishReason)
}

/** The event that opens a tool call: its id and name, no arguments yet. */
export function toolOpeningChoice(index: number, callId: string, name: string): string {
  const call = { index: 0, id: callId, type: 'function', function: { name, arguments: '' } }
  return choice(index, `"delta":{"tool_calls":[${JSON.stringify(call)}]}`, null)
}

export function usageJson({ promptTokens, completionTokens, reasoningTokens, cachedTokens }: Usage): string {
  const cached = cachedTokens === null ? '' : `,"prompt_tokens_details":{"cached_tokens":${cachedTokens}}`
  const reasoning =
    reasoningTokens === 0 ? '' : `,"completion_tokens_details":{"reasoning_tokens":${reasoningTokens}}`
  const total = promptTokens + completionTokens
  return `{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${total}${cached}${reasoning}}`
}

function textChoice(index: number, text: string, reason: FinishReason | null): string {
  const finish = reason === null ? 'null' : `"${reason}"`
  return `{"index":${index},"text":${JSON.stringify(text)},"logprobs":null,"finish_reason":${finish},"stop_reason":null}`
}

function choice(index: number, delta: string, reason: FinishReason | null): string {
  const finish = reason === null ? 'null' : `"${reason}"`
  return `{"index":${index},${delta},"logprobs":null,"finish_reason":${finish}}`
}
