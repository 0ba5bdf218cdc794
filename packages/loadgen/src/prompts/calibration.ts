/**
 * How many tokens a prompt of our words costs on this very target: tokens = overhead + tokensPerWord * words.
 *
 * No tokenizer is needed for that. The target itself says how long a prompt was, in `usage.prompt_tokens` or at its
 * tokenizer endpoint, and two lengths give the line: the chat template costs the same whatever the prompt holds.
 */

export interface PromptCalibration {
  /** Tokens of one word, > 0. */
  readonly tokensPerWord: number
  /** Tokens of the chat template and of what else the server adds, >= 0. */
  readonly overheadTokens: number
}

/** A prompt whose length the target told. */
export interface CountedPrompt {
  readonly words: number
  readonly tokens: number
}

/** Our words are single tokens for most tokenizers; the template is a guess. */
export const UNCALIBRATED: PromptCalibration = { tokensPerWord: 1, overheadTokens: 8 }

/**
 * The line through counted prompts, by least squares.
 *
 * @returns null when the counts do not give a rising line: fewer than two lengths, or a target that does not count
 */
export function fitCalibration(counted: readonly CountedPrompt[]): PromptCalibration | null {
  const n = counted.length
  const meanWords = counted.reduce((sum, { words }) => sum + words, 0) / n
  const meanTokens = counted.reduce((sum, { tokens }) => sum + tokens, 0) / n
  const spread = counted.reduce((sum, { words }) => sum + (words - meanWords) ** 2, 0)
  if (n < 2 || spread === 0) return null
  const together = counted.reduce(
    (sum, { words, tokens }) => sum + (words - meanWords) * (tokens - meanTokens),
    0,
  )
  const tokensPerWord = together / spread
  if (!(tokensPerWord > 0)) return null
  return { tokensPerWord, overheadTokens: Math.max(0, meanTokens - tokensPerWord * meanWords) }
}

/** Words of a prompt that should have this many tokens; at least one. */
export function wordsFor(tokens: number, calibration: PromptCalibration): number {
  return Math.max(1, Math.round((tokens - calibration.overheadTokens) / calibration.tokensPerWord))
}

/** Tokens that a text of this many words is expected to have. */
export function tokensFor(words: number, calibration: PromptCalibration): number {
  return Math.round(calibration.overheadTokens + words * calibration.tokensPerWord)
}
