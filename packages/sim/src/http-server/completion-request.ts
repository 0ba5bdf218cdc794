/** Reads the body of a chat or completions call. What it does not know, it ignores, as vLLM does. */
import { type TokenizedPrompt, tokenizeChat, tokenizeIds, tokenizeText } from '../model/tokenizer.ts'
import { type ApiError, badRequest } from './api-error.ts'

export type Endpoint = 'chat' | 'completions'
export type OutputShape = 'text' | 'json' | 'tool'

export interface CompletionRequest {
  readonly endpoint: Endpoint
  readonly model: string | null
  readonly prompts: readonly TokenizedPrompt[]
  /** Answers per prompt. */
  readonly n: number
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly continuousUsage: boolean
  /** Null: as long as the model likes. */
  readonly maxTokens: number | null
  readonly minTokens: number
  readonly ignoreEos: boolean
  readonly stop: readonly string[]
  readonly seed: number | null
  readonly shape: OutputShape
  readonly toolName: string
  /** `chat_template_kwargs.enable_thinking`. */
  readonly thinking: boolean
}

type Body = Record<string, unknown>

const SEQUENCES_MAX = 128

/** The request, or what vLLM would refuse in it. */
export function readCompletionRequest(
  endpoint: Endpoint,
  text: string,
  blockTokens: number,
): CompletionRequest | ApiError {
  const body = parseBody(text)
  if (body === null) return badRequest('The request body is not a JSON object.')
  const prompts = endpoint === 'chat' ? readMessages(body, blockTokens) : readPrompts(body, blockTokens)
  if (!Array.isArray(prompts)) return prompts
  for (const name of ['max_tokens', 'max_completion_tokens', 'min_tokens', 'n', 'seed']) {
    if (!isOptionalCount(body[name])) return badRequest(`${name} must be a whole number >= 0`, name)
  }
  const n = (body['n'] as number | null | undefined) ?? 1
  if (n < 1 || n * prompts.length > SEQUENCES_MAX) {
    return badRequest(
      `n times the prompts must be from 1 to ${SEQUENCES_MAX}, got ${n * prompts.length}`,
      'n',
    )
  }
  const maxTokens = (body['max_completion_tokens'] ?? body['max_tokens'] ?? null) as number | null
  if (maxTokens !== null && maxTokens < 1) return badRequest('max_tokens must be at least 1', 'max_tokens')
  return { ...readModes(endpoint, body), prompts, n, maxTokens: maxTokens ?? defaultMaxTokens(endpoint) }
}

function readModes(endpoint: Endpoint, body: Body): Omit<CompletionRequest, 'prompts' | 'n' | 'maxTokens'> {
  const streamOptions = asObject(body['stream_options'])
  return {
    endpoint,
    model: typeof body['model'] === 'string' ? body['model'] : null,
    stream: body['stream'] === true,
    includeUsage: streamOptions['include_usage'] === true,
    continuousUsage: streamOptions['continuous_usage_stats'] === true,
    minTokens: (body['min_tokens'] as number | null | undefined) ?? 0,
    ignoreEos: body['ignore_eos'] === true,
    stop: readStop(body['stop']),
    seed: (body['seed'] as number | null | undefined) ?? null,
    ...readShape(endpoint, body),
    thinking: asObject(body['chat_template_kwargs'])['enable_thinking'] === true,
  }
}

function readShape(endpoint: Endpoint, body: Body): { shape: OutputShape; toolName: string } {
  const tools = Array.isArray(body['tools']) ? body['tools'] : []
  const choice = body['tool_choice']
  const chosen = asObject(asObject(choice)['function'])['name']
  const first = asObject(asObject(tools[0])['function'])['name']
  const toolName = typeof chosen === 'string' ? chosen : typeof first === 'string' ? first : ''
  if (endpoint === 'chat' && toolName !== '' && choice !== 'none') return { shape: 'tool', toolName }
  const format = asObject(body['response_format'])['type']
  return { shape: format === 'json_object' || format === 'json_schema' ? 'json' : 'text', toolName: '' }
}

function readMessages(body: Body, blockTokens: number): TokenizedPrompt[] | ApiError {
  const messages = body['messages']
  if (!Array.isArray(messages) || messages.length === 0)
    return badRequest('messages must be a non-empty array', 'messages')
  const read: { role: string; content: string }[] = []
  for (const [index, entry] of messages.entries()) {
    const { role, content = null } = asObject(entry)
    const text = messageText(content)
    if (typeof role !== 'string' || text === null)
      return badRequest(`messages[${index}] has no role or text`, 'messages')
    read.push({ role, content: text })
  }
  return [tokenizeChat(read, blockTokens)]
}

/** A string, null (an assistant's tool call), or parts of which the texts are joined. */
function messageText(content: unknown): string | null {
  if (content === null) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  return content.map((part) => asObject(part)['text'] ?? '').join(' ')
}

function readPrompts(body: Body, blockTokens: number): TokenizedPrompt[] | ApiError {
  const prompt = body['prompt']
  const wrong = badRequest('prompt must be a string, an array of strings, or token ids', 'prompt')
  if (typeof prompt === 'string') return [tokenizeText(prompt, blockTokens)]
  if (!Array.isArray(prompt) || prompt.length === 0) return wrong
  if (prompt.every((id) => typeof id === 'number')) return [tokenizeIds(prompt, blockTokens)]
  const prompts: TokenizedPrompt[] = []
  for (const entry of prompt) {
    if (typeof entry === 'string') prompts.push(tokenizeText(entry, blockTokens))
    else if (Array.isArray(entry) && entry.every((id) => typeof id === 'number')) {
      prompts.push(tokenizeIds(entry, blockTokens))
    } else return wrong
  }
  return prompts
}

function readStop(stop: unknown): string[] {
  const list = Array.isArray(stop) ? stop : [stop]
  return list.filter((entry) => typeof entry === 'string' && entry !== '')
}

/** OpenAI's default for the older endpoint; chat has none. */
function defaultMaxTokens(endpoint: Endpoint): number | null {
  return endpoint === 'completions' ? 16 : null
}

function isOptionalCount(value: unknown): boolean {
  return value === undefined || value === null || (Number.isInteger(value) && (value as number) >= 0)
}

function parseBody(text: string): Body | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : null
  } catch {
    return null
  }
}

function asObject(value: unknown): Body {
  return typeof value === 'object' && value !== null ? (value as Body) : {}
}
