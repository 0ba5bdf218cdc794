/**
 * The chat endpoint: what is asked for, and where an answer carries text.
 *
 * A delta may hold visible text (`content`, `refusal`, the name or arguments of a tool call) or reasoning
 * (`reasoning_content` in vLLM, SGLang and llama.cpp; `reasoning` in newer vLLM and others). A delta that holds
 * only a role, or empty strings, is no token.
 */

import { asObject, asText, type JsonObject } from './json.ts'

export interface ChoiceText {
  readonly visible: string
  readonly reasoning: string
}

export interface ChatMessage {
  readonly role: string
  readonly content: string
}

/** Text of one choice: its `delta` in a stream, its `message` in a whole answer. */
export function chatText(choice: JsonObject): ChoiceText {
  const delta = asObject(choice['delta']) ?? asObject(choice['message'])
  if (delta === null) return { visible: '', reasoning: '' }
  const content = delta['content']
  const visible = typeof content === 'string' && content !== '' ? content : otherVisible(delta)
  return { visible, reasoning: asText(delta['reasoning_content']) || asText(delta['reasoning']) }
}

function otherVisible(delta: JsonObject): string {
  const parts = Array.isArray(delta['content'])
    ? delta['content'].map((part) => asText(asObject(part)?.['text']))
    : []
  const calls = Array.isArray(delta['tool_calls'])
    ? delta['tool_calls']
    : [{ function: delta['function_call'] }]
  return `${parts.join('')}${asText(delta['refusal'])}${calls.map(callText).join('')}`
}

function callText(call: unknown): string {
  const called = asObject(asObject(call)?.['function'])
  return called === null ? '' : `${asText(called['name'])}${asText(called['arguments'])}`
}
