/**
 * What the stable codes mean to a person, and what to do about each: the one table that every report reads. A code
 * that core can emit and that is missing here fails a test.
 */

import { CAVEAT_CODES } from './codes/caveat-codes.ts'
import { GENERATOR_CODES } from './codes/generator-codes.ts'
import { LEVEL_CODES } from './codes/level-codes.ts'
import { REFUSAL_CODES } from './codes/refusal-codes.ts'
import { STOP_CODES } from './codes/stop-codes.ts'

export interface CodeText {
  /** One sentence. */
  readonly meaning: string
  /** One sentence that starts with a verb. */
  readonly next: string
}

const CODES: Readonly<Record<string, CodeText>> = {
  ...LEVEL_CODES,
  ...GENERATOR_CODES,
  ...REFUSAL_CODES,
  ...CAVEAT_CODES,
  ...STOP_CODES,
}

const unknownCode = (code: string): CodeText => ({
  meaning: `Code ${code}.`,
  next: 'Look it up in docs/MODEL.md.',
})

/** `estimate-differs: the estimate is 31 % above ...`: a code, and the figures of this very case. */
export interface CodeRemark {
  readonly code: string
  readonly detail: string | null
}

export function readRemark(remark: string): CodeRemark {
  const at = remark.indexOf(': ')
  if (at < 0) return { code: remark, detail: null }
  return { code: remark.slice(0, at), detail: remark.slice(at + 2) }
}

/** Sentence and next step of a code. */
export function codeText(code: string): CodeText {
  return Object.hasOwn(CODES, code) ? (CODES[code] ?? unknownCode(code)) : unknownCode(code)
}

/** Every code that has a text. */
export const KNOWN_CODES: readonly string[] = Object.keys(CODES)
