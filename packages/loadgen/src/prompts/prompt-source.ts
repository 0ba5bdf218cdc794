/**
 * The prompts of a step: of a drawn length, each with a beginning of its own, or taken from a data set.
 *
 * A plan that asks for a shared prefix wants the server's prefix cache in play: then the shared words come first and
 * the nonce follows them. Otherwise the nonce stands at token 0.
 */

import { type Random, seededRandom } from '@loadcurve/core/random'
import type { ChatMessage } from '../wire/chat.ts'
import type { Prompt } from '../wire/request-body.ts'
import { type PromptCalibration, tokensFor, wordsFor } from './calibration.ts'
import type { Conversation } from './dataset.ts'
import { NONCE_WORDS, nonceWords } from './nonce.ts'
import { drawWords } from './words.ts'

export interface PromptSourceOptions {
  readonly endpoint: 'chat' | 'completions'
  readonly calibration: PromptCalibration
  /** Tokens at the start of all prompts that are the same. 0: none. */
  readonly sharedPrefixTokens: number
  /** Of the shared prefix and of the order of a data set: the same in every shard. */
  readonly seed: number
  /** See `nonceWords`: drawn anew for every step and process. */
  readonly salt: number
  /** Prompts in one request of the completions endpoint; the chat endpoint has one. */
  readonly promptsPerRequest: number
  /** Conversations to ask instead of drawn words; null: none. */
  readonly dataset: {
    readonly conversations: readonly Conversation[]
    readonly order: 'shuffled' | 'sequential'
  } | null
}

export interface PromptRequest {
  /** Place of the request in the schedule of the whole step. */
  readonly index: number
  /** Asked length of one prompt, tokens; a data set has its own. */
  readonly inputTokens: number
  readonly random: Random
}

export interface SourcedPrompt {
  readonly prompt: Prompt
  /** Asked length of all prompts of the request, tokens. */
  readonly inputTokensAsked: number
}

/**
 * The prompt of each request.
 *
 * @throws RangeError when a data set is empty, or the chat endpoint is to take several prompts
 */
export function promptSource(options: PromptSourceOptions): (request: PromptRequest) => SourcedPrompt {
  const { dataset, endpoint, promptsPerRequest } = options
  if (!Number.isInteger(promptsPerRequest) || promptsPerRequest < 1) {
    throw new RangeError(`promptsPerRequest must be a positive integer, got ${promptsPerRequest}`)
  }
  if (endpoint === 'chat' && promptsPerRequest > 1) {
    throw new RangeError(
      `the chat endpoint takes one prompt per request, got promptsPerRequest ${promptsPerRequest}`,
    )
  }
  if (dataset !== null && dataset.conversations.length === 0) throw new RangeError('the data set is empty')
  const prefix = sharedPrefix(options)
  const compose = dataset === null ? drawnMessages(options, prefix) : datasetMessages(options, prefix)
  return (request) => {
    const composed = Array.from({ length: promptsPerRequest }, (_, i) =>
      compose({ ...request, index: request.index * promptsPerRequest + i }),
    )
    return {
      prompt: asPrompt(
        composed.map(({ messages }) => messages),
        endpoint,
      ),
      inputTokensAsked: composed.reduce((sum, { tokens }) => sum + tokens, 0),
    }
  }
}

interface Composed {
  readonly messages: readonly ChatMessage[]
  readonly tokens: number
}

type Compose = (request: PromptRequest) => Composed

function sharedPrefix({ sharedPrefixTokens, calibration, seed }: PromptSourceOptions): string[] {
  if (sharedPrefixTokens <= 0) return []
  const words = Math.round(sharedPrefixTokens / calibration.tokensPerWord)
  return drawWords(words, seededRandom(seed, 'shared prefix'))
}

function drawnMessages({ calibration, salt }: PromptSourceOptions, prefix: readonly string[]): Compose {
  return ({ index, inputTokens, random }) => {
    const own = Math.max(1, wordsFor(inputTokens, calibration) - prefix.length)
    // A prompt shorter than a nonce keeps as much of it as it can hold.
    const nonce = nonceWords({ index, salt }).slice(0, own)
    const words = [...prefix, ...nonce, ...drawWords(own - nonce.length, random)]
    return { messages: [{ role: 'user', content: words.join(' ') }], tokens: inputTokens }
  }
}

function datasetMessages(options: PromptSourceOptions, prefix: readonly string[]): Compose {
  const { dataset, calibration, salt, seed } = options
  const conversations = dataset?.conversations ?? []
  const order =
    dataset?.order === 'shuffled' ? shuffled(conversations, seededRandom(seed, 'data set')) : conversations
  return ({ index }) => {
    const { messages } = order[index % order.length] ?? { messages: [] }
    const opening = [...prefix, ...nonceWords({ index, salt })].join(' ')
    const [first, ...rest] = messages
    const opened = [{ role: first?.role ?? 'user', content: `${opening}\n${first?.content ?? ''}` }, ...rest]
    return {
      messages: opened,
      tokens: tokensFor(countWords(messages) + prefix.length + NONCE_WORDS, calibration),
    }
  }
}

function asPrompt(composed: readonly (readonly ChatMessage[])[], endpoint: 'chat' | 'completions'): Prompt {
  if (endpoint === 'chat') return { kind: 'messages', messages: composed[0] ?? [] }
  return {
    kind: 'texts',
    texts: composed.map((messages) => messages.map(({ content }) => content).join('\n')),
  }
}

function countWords(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + (content.match(/\S+/g)?.length ?? 0), 0)
}

/** Fisher–Yates, on a copy. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const copy = [...items]
  for (let last = copy.length - 1; last > 0; last--) {
    const chosen = Math.floor(random() * (last + 1))
    const moved = copy[last] as T
    copy[last] = copy[chosen] as T
    copy[chosen] = moved
  }
  return copy
}
