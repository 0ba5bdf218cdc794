/** Counting tokens at a server's tokenizer endpoint, in the dialects of vLLM, llama.cpp and TGI at once. */

import type { Visitor } from '../target/visitor.ts'
import { asCount, asObject, parseJson } from '../wire/json.ts'

export interface TokenizerQuestion {
  readonly visitor: Visitor
  readonly url: string
  readonly model: string
  readonly text: string
  readonly timeoutMs: number
}

/** Tokens of a text as the server's tokenizer counts them; null when it does not. */
export async function countByTokenizer({
  visitor,
  url,
  model,
  text,
  timeoutMs,
}: TokenizerQuestion): Promise<number | null> {
  const json = { model, prompt: text, content: text, inputs: text, add_special: true }
  const answer = await visitor.visit({ url, json, timeoutMs })
  if (!answer.ok || answer.status !== 200) return null
  const value = parseJson(answer.text)
  if (Array.isArray(value)) return value.length
  const page = asObject(value)
  const tokens = page?.['tokens']
  return asCount(page?.['count']) ?? (Array.isArray(tokens) ? tokens.length : null)
}
