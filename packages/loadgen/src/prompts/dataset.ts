/**
 * Prompts from a file: JSON lines, one conversation a line, as OpenAI messages or in the form of ShareGPT.
 *
 * A prompt is a conversation up to its last question: what the assistant said before belongs to it, what it said
 * after does not, because that is what the target is to write.
 */

import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, resolve, sep } from 'node:path'
import type { ChatMessage } from '../wire/chat.ts'
import { asObject, asText, parseJson } from '../wire/json.ts'

export type DatasetFormat = 'messages' | 'sharegpt'

export interface Conversation {
  /** Ends with a message that asks for an answer. */
  readonly messages: readonly ChatMessage[]
}

export interface DatasetViolation {
  /** From 1; 0 means the file itself. */
  readonly line: number
  readonly message: string
}

/** A data set that cannot be used, with every line that is wrong (the first hundred). */
export class DatasetError extends Error {
  readonly code = 'dataset-invalid'
  readonly violations: readonly DatasetViolation[]

  constructor(violations: readonly DatasetViolation[]) {
    super(
      violations.map(({ line, message }) => (line === 0 ? message : `line ${line}: ${message}`)).join('; '),
    )
    this.name = 'DatasetError'
    this.violations = violations
  }
}

const FILE_BYTES_MAX = 512 * 1024 * 1024
const VIOLATIONS_MAX = 100

/** In ShareGPT, who speaks. */
const SHAREGPT_ROLES: { readonly [from: string]: string } = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  assistant: 'assistant',
  bard: 'assistant',
  system: 'system',
}

/**
 * Reads a data set from the data folder.
 *
 * @throws DatasetError when the file is missing, too large, outside the folder, or holds lines that cannot be used
 */
export async function loadDataset(options: {
  readonly dataDir: string
  readonly file: string
  readonly format: DatasetFormat
}): Promise<Conversation[]> {
  const folder = resolve(options.dataDir)
  const path = resolve(folder, options.file)
  if (isAbsolute(options.file) || !path.startsWith(folder + sep))
    fail(`${options.file} lies outside the data folder`)
  const size = await stat(path).then(
    ({ size }) => size,
    () => fail(`${options.file} is not in the data folder`),
  )
  if (size > FILE_BYTES_MAX) fail(`${options.file} has ${size} bytes, at most ${FILE_BYTES_MAX} are read`)
  return parseDataset(await readFile(path, 'utf8'), options.format)
}

/**
 * The conversations of JSON lines.
 *
 * @throws DatasetError naming every line that is not a conversation, or when there is none at all
 */
export function parseDataset(text: string, format: DatasetFormat): Conversation[] {
  const conversations: Conversation[] = []
  const violations: DatasetViolation[] = []
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || violations.length >= VIOLATIONS_MAX) continue
    const read = readConversation(line, format)
    if (typeof read === 'string') violations.push({ line: index + 1, message: read })
    else conversations.push(read)
  }
  if (violations.length > 0) throw new DatasetError(violations)
  if (conversations.length === 0) fail('the data set holds no conversation')
  return conversations
}

function fail(message: string): never {
  throw new DatasetError([{ line: 0, message }])
}

/** The conversation, or what is wrong with the line. */
function readConversation(line: string, format: DatasetFormat): Conversation | string {
  const value = parseJson(line)
  const field = format === 'messages' ? 'messages' : 'conversations'
  const turns = Array.isArray(value) ? value : asObject(value)?.[field]
  if (!Array.isArray(turns)) return `needs ${format === 'messages' ? 'messages' : 'conversations'}: an array`
  const messages: ChatMessage[] = []
  for (const [index, turn] of turns.entries()) {
    const message = format === 'messages' ? messageOf(turn) : shareGptMessageOf(turn)
    if (message === null)
      return `${field}[${index}] needs ${format === 'messages' ? 'role and content' : 'from and value'}`
    messages.push(message)
  }
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user')
  return lastQuestion < 0 ? 'holds no message of a user' : { messages: messages.slice(0, lastQuestion + 1) }
}

function messageOf(turn: unknown): ChatMessage | null {
  const object = asObject(turn)
  const role = asText(object?.['role'])
  const content = contentOf(object?.['content'])
  return role === '' || content === null ? null : { role, content }
}

/** A string, or parts of which the texts are joined. */
function contentOf(content: unknown): string | null {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  return content.map((part) => asText(asObject(part)?.['text'])).join('\n')
}

function shareGptMessageOf(turn: unknown): ChatMessage | null {
  const object = asObject(turn)
  const role = SHAREGPT_ROLES[asText(object?.['from']).toLowerCase()]
  const value = object?.['value']
  return role === undefined || typeof value !== 'string' ? null : { role, content: value }
}
