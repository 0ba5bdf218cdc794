/**
 * How many tokens an answer has, in the server's own words.
 *
 * `usage` comes in several ways, and adding up the wrong ones doubles the count:
 * - with no choice, after the choices have finished: the closing word. llama.cpp sends one *per choice* with n = 2,
 *   each after the finish of its choice, the first in mid-stream. These are summed.
 * - with no choice, and no choice has finished since the last one: a count so far. A later one replaces it.
 * - with a choice (`continuous_usage_stats` of vLLM and SGLang; the finish event of completions on llama.cpp): a
 *   running total of that choice. The last of each choice counts, and the differences tell how many tokens an event
 *   holds.
 * The closing word goes before the others. llama.cpp also sends `timings` unasked: they fill in where usage is missing.
 */

import { asCount, asObject, type JsonObject } from './json.ts'

export interface TokenCounts {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  readonly cachedInputTokens: number | null
}

interface Reading {
  readonly input: number | null
  readonly output: number | null
  readonly reasoning: number | null
  readonly cached: number | null
}

const UNKNOWN: TokenCounts = {
  inputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  cachedInputTokens: null,
}

export class UsageTally {
  readonly #closing: Reading[] = []
  /** Choices that had finished when the last closing word came. */
  #finishedAtClosing = 0
  #soFar: Reading | null = null
  readonly #byChoice = new Map<number, Reading>()
  readonly #timingsByChoice = new Map<number, Reading>()
  /** Running total of each choice when its last content event came. */
  readonly #outputAtContent = new Map<number, number>()

  /** Usage in an event that carries a choice. */
  addChoiceUsage(usage: JsonObject, choiceIndex: number): void {
    this.#byChoice.set(choiceIndex, readUsage(usage))
  }

  /** Usage in an event without choices. @param finished how many choices have finished by now */
  addUsage(usage: JsonObject, finished: number): void {
    const reading = readUsage(usage)
    if (finished <= this.#finishedAtClosing) this.#soFar = reading
    else {
      this.#closing.push(reading)
      this.#finishedAtClosing = finished
    }
  }

  addTimings(timings: JsonObject, choiceIndex: number | null): void {
    this.#timingsByChoice.set(choiceIndex ?? this.#timingsByChoice.size, readTimings(timings))
  }

  /**
   * Tokens of the content event of this choice, by the running total that came with it; null when none came, or when
   * there are several choices: some servers then write the total of all of them.
   */
  tokensOfEvent(choiceIndex: number): number | null {
    const total = this.#byChoice.get(choiceIndex)?.output ?? null
    if (total === null || this.#byChoice.size > 1) return null
    const before = this.#outputAtContent.get(choiceIndex) ?? 0
    this.#outputAtContent.set(choiceIndex, total)
    return total > before ? total - before : null
  }

  /** @param prompts how many prompts the request held: their inputs add up; n answers to one prompt share it */
  counts(prompts: number): TokenCounts {
    const soFar = this.#soFar === null ? [] : [this.#soFar]
    const byTrust = [this.#closing, [...this.#byChoice.values()], soFar, [...this.#timingsByChoice.values()]]
    const best = byTrust.find((list) => list.some((reading) => reading.output !== null))
    if (best === undefined) return UNKNOWN
    const combineInput = prompts > 1 ? sum : largest
    return {
      inputTokens: combineInput(best.map((reading) => reading.input)),
      outputTokens: sum(best.map((reading) => reading.output)),
      reasoningTokens: sum(best.map((reading) => reading.reasoning)),
      cachedInputTokens: combineInput(best.map((reading) => reading.cached)),
    }
  }
}

function readUsage(usage: JsonObject): Reading {
  return {
    input: asCount(usage['prompt_tokens']),
    output: asCount(usage['completion_tokens']),
    reasoning: asCount(asObject(usage['completion_tokens_details'])?.['reasoning_tokens']),
    cached: asCount(asObject(usage['prompt_tokens_details'])?.['cached_tokens']),
  }
}

/** `prompt_n` counts only what was not taken from the cache. */
function readTimings(timings: JsonObject): Reading {
  const read = asCount(timings['prompt_n'])
  const cached = asCount(timings['cache_n'])
  return {
    input: read === null ? null : read + (cached ?? 0),
    output: asCount(timings['predicted_n']),
    reasoning: null,
    cached,
  }
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null)
}

function sum(values: readonly (number | null)[]): number | null {
  const numbers = known(values)
  return numbers.length === 0 ? null : numbers.reduce((total, value) => total + value, 0)
}

function largest(values: readonly (number | null)[]): number | null {
  const numbers = known(values)
  return numbers.length === 0 ? null : Math.max(...numbers)
}
