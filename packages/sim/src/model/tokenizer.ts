/**
 * The simulator's tokenizer, exact and simple enough to compute by hand: a word is a run of characters other than
 * white space, and costs one token per four characters, rounded up (UTF-16 units). White space costs nothing. A chat
 * adds 4 tokens per message and 3 for the answer's header. A client that wants prompts of a given length has to find
 * the tokens per word of *its* words, as with a real model.
 *
 * While counting, it hashes the prompt into KV blocks, each hash chained to all that came before, so that the prefix
 * cache can recognise a shared beginning.
 */

export interface TokenizedPrompt {
  readonly tokens: number
  /** One hash per full block of the prompt, each covering everything before it. */
  readonly prefixHashes: readonly number[]
}

const CHARACTERS_PER_TOKEN = 4
const MESSAGE_TOKENS = 4
const ANSWER_HEADER_TOKENS = 3
/** FNV-1a. */
const HASH_SEED = 0x811c9dc5
const HASH_PRIME = 0x01000193

/** Tokens of a plain text. */
export function countTokens(text: string): number {
  let tokens = 0
  for (const word of text.match(/\S+/g) ?? []) tokens += wordTokens(word)
  return tokens
}

export function tokenizeText(text: string, blockTokens: number): TokenizedPrompt {
  const counter = new PrefixCounter(blockTokens)
  counter.addText(text)
  return counter.prompt()
}

export function tokenizeChat(
  messages: readonly { readonly role: string; readonly content: string }[],
  blockTokens: number,
): TokenizedPrompt {
  const counter = new PrefixCounter(blockTokens)
  for (const { role, content } of messages) {
    counter.addTokens(MESSAGE_TOKENS, role)
    counter.addText(content)
  }
  counter.addTokens(ANSWER_HEADER_TOKENS, 'assistant')
  return counter.prompt()
}

/** A prompt that the client tokenized itself. */
export function tokenizeIds(ids: readonly number[], blockTokens: number): TokenizedPrompt {
  const counter = new PrefixCounter(blockTokens)
  for (const id of ids) counter.addTokens(1, String(id))
  return counter.prompt()
}

class PrefixCounter {
  readonly #blockTokens: number
  readonly #hashes: number[] = []
  #tokens = 0
  #hash = HASH_SEED

  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens
  }

  addText(text: string): void {
    for (const word of text.match(/\S+/g) ?? []) this.addTokens(wordTokens(word), word)
  }

  addTokens(tokens: number, word: string): void {
    for (let index = 0; index < word.length; index++) {
      this.#hash = Math.imul(this.#hash ^ word.charCodeAt(index), HASH_PRIME)
    }
    // A separator, so that "ab c" and "a bc" differ.
    this.#hash = Math.imul(this.#hash ^ 0x20, HASH_PRIME)
    this.#tokens += tokens
    while (this.#tokens >= (this.#hashes.length + 1) * this.#blockTokens) this.#hashes.push(this.#hash)
  }

  prompt(): TokenizedPrompt {
    // An empty prompt still has its start token.
    return { tokens: Math.max(1, this.#tokens), prefixHashes: this.#hashes }
  }
}

function wordTokens(word: string): number {
  return Math.ceil(word.length / CHARACTERS_PER_TOKEN)
}
