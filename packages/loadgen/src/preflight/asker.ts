/** Asks a target one small request after the other, each with a prompt of its own, and keeps count of their tokens. */

import { randomInt } from 'node:crypto'
import { seededRandom } from '@loadcurve/core/random'
import {
  type CountedPrompt,
  fitCalibration,
  type PromptCalibration,
  wordsFor,
} from '../prompts/calibration.ts'
import { promptSource } from '../prompts/prompt-source.ts'
import { countByTokenizer } from '../prompts/tokenizer-count.ts'
import type { Target } from '../target/agent.ts'
import { exchange } from '../target/exchange.ts'
import type { ExchangeRequest } from '../target/result.ts'
import type { Visitor } from '../target/visitor.ts'
import { type SeenAnswer, ttftMs } from './behaviour.ts'

export interface AskerOptions {
  readonly target: Target
  readonly visitor: Visitor
  readonly model: string
  readonly stream: boolean
  readonly ignoreEos: boolean
  readonly extraBody: Readonly<Record<string, unknown>>
  readonly tokenizeUrl: string | null
  readonly signal?: AbortSignal
}

export interface Question {
  readonly words: number
  readonly outputTokens: number
  /** Ask the last prompt once more instead of a new one. */
  readonly again?: boolean
  /** Ask for running totals with each event. */
  readonly continuousUsage?: boolean
}

/** TTFT of an idle server at one prompt length. */
export interface ZeroLoadProbe {
  readonly inputTokens: number
  readonly ttftMs: number
}

/** Enough words for the line to be known within a fraction of a percent. */
const CALIBRATION_WORDS = [40, 400, 800] as const
const TOKENIZER_TIMEOUT_MS = 5000

export class Asker {
  readonly #options: AskerOptions
  readonly #source: ReturnType<typeof promptSource>
  readonly #counted: CountedPrompt[] = []
  #asked = 0

  constructor(options: AskerOptions) {
    this.#options = options
    this.#source = promptSource({
      endpoint: options.target.endpoint,
      // One token per word and no overhead: then a length in tokens is a length in words.
      calibration: { tokensPerWord: 1, overheadTokens: 0 },
      sharedPrefixTokens: 0,
      seed: 1,
      salt: randomInt(2 ** 32),
      promptsPerRequest: 1,
      dataset: null,
    })
  }

  async ask(question: Question): Promise<SeenAnswer> {
    const { words, outputTokens, again = false } = question
    if (!again) this.#asked++
    const instantsMs: number[] = []
    let untoldEvents = 0
    const result = await exchange(this.#options.target, this.#request(question), {
      onContentEvent: (atMs, tokens) => {
        instantsMs.push(atMs)
        if (tokens === null) untoldEvents++
      },
      ...(this.#options.signal === undefined ? {} : { signal: this.#options.signal }),
    })
    if (result.inputTokens !== null) this.#counted.push({ words, tokens: result.inputTokens })
    return { result, instantsMs, outputTokensAsked: outputTokens, tokensTold: untoldEvents === 0 }
  }

  /** The cost of our words: by the target's usage, else by its tokenizer; null when it has neither. */
  async calibrate(): Promise<PromptCalibration | null> {
    for (const words of CALIBRATION_WORDS) await this.ask({ words, outputTokens: 1 })
    return fitCalibration(this.#counted) ?? this.#calibrateByTokenizer()
  }

  /** Median TTFT at a prompt length, with one output token; null when nothing came. */
  async probe(
    inputTokens: number,
    calibration: PromptCalibration,
    times: number,
  ): Promise<ZeroLoadProbe | null> {
    const words = wordsFor(inputTokens, calibration)
    const answers: SeenAnswer[] = []
    for (let i = 0; i < times; i++) answers.push(await this.ask({ words, outputTokens: 1 }))
    const middle = median(
      answers.map(({ result }) => ttftMs(result)).filter((value) => Number.isFinite(value)),
    )
    if (middle === null) return null
    return { inputTokens: answers[0]?.result.inputTokens ?? inputTokens, ttftMs: middle }
  }

  #prompt(words: number): ExchangeRequest['prompt'] {
    const random = seededRandom(this.#asked, 'preflight')
    return this.#source({ index: this.#asked, inputTokens: words, random }).prompt
  }

  #request({ words, outputTokens, continuousUsage = false }: Question): ExchangeRequest {
    const { model, stream, ignoreEos, extraBody } = this.#options
    const plain = { n: 1, expectJson: false, failOn: [] }
    const prompt = this.#prompt(words)
    return { ...plain, model, prompt, outputTokens, stream, ignoreEos, extraBody, continuousUsage }
  }

  async #calibrateByTokenizer(): Promise<PromptCalibration | null> {
    const { tokenizeUrl: url, visitor, model } = this.#options
    if (url === null) return null
    const counted: CountedPrompt[] = []
    for (const words of CALIBRATION_WORDS) {
      const text = textOf(this.#prompt(words))
      const tokens = await countByTokenizer({ visitor, url, model, text, timeoutMs: TOKENIZER_TIMEOUT_MS })
      if (tokens !== null) counted.push({ words, tokens })
    }
    return fitCalibration(counted)
  }
}

function textOf(prompt: ExchangeRequest['prompt']): string {
  return prompt.kind === 'texts'
    ? prompt.texts.join('\n')
    : prompt.messages.map(({ content }) => content).join('\n')
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}
