import type { ServerResponse } from 'node:http'
import { tokenizeChat, tokenizeText } from '../model/tokenizer.ts'
import { badRequest, sendError, sendJson } from './api-error.ts'
import type { Simulation } from './simulation.ts'

/** `{"prompt": "…"}` or `{"messages": […]}`, as vLLM's /tokenize. */
export function tokenizeAnswer(
  { options, engine }: Simulation,
  response: ServerResponse,
  body: string,
): void {
  const count = countOf(body, engine.blockTokens)
  if (count === null) {
    sendError(response, badRequest('prompt or messages is needed', 'prompt'))
    return
  }
  const tokens = Array.from({ length: count }, (_, index) => index)
  sendJson(response, { count, max_model_len: options.maxModelTokens, tokens, token_strs: null })
}

function countOf(body: string, blockTokens: number): number | null {
  try {
    const { prompt, messages } = JSON.parse(body)
    if (typeof prompt === 'string') return tokenizeText(prompt, blockTokens).tokens
    if (Array.isArray(messages)) return tokenizeChat(messages.map(plainMessage), blockTokens).tokens
    return null
  } catch {
    return null
  }
}

function plainMessage(message: { role?: unknown; content?: unknown }): { role: string; content: string } {
  return { role: String(message.role ?? 'user'), content: String(message.content ?? '') }
}
