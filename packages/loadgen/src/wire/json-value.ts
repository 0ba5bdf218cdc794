/**
 * When did a text, that grows piece by piece, first hold one complete JSON value?
 *
 * Parsing the whole text at each piece would cost the square of its length. Instead brackets and quotes are counted
 * as characters come, which costs each character once; only when they balance, the text is really parsed. Inside an
 * object or array that happens once. A bare number, word or string has no brackets: it is parsed at each piece, up to
 * a length at which it cannot be a number or a word any more.
 */

import { parseJson } from './json.ts'

const SCALAR_LENGTH_MAX = 400
const TEXT_LENGTH_MAX = 8 * 1024 * 1024

export class JsonValueWatch {
  /** When the text so far first parsed as one complete value, ms; null when it never did. */
  completeAtMs: number | null = null
  #text = ''
  #depth = 0
  #inString = false
  #escaped = false
  /** The text grew past its bound: nothing more is known about it. */
  #tooLong = false

  add(piece: string, atMs: number): void {
    if (this.#text.length + piece.length > TEXT_LENGTH_MAX) this.#tooLong = true
    if (this.#tooLong) return
    this.#text += piece
    if (this.completeAtMs !== null) return
    const closed = this.#scan(piece)
    const mayBeScalar = this.#depth === 0 && !this.#inString && this.#text.length <= SCALAR_LENGTH_MAX
    if ((closed || mayBeScalar) && this.isValid()) this.completeAtMs = atMs
  }

  /** Whether the whole text is one JSON value. */
  isValid(): boolean {
    return !this.#tooLong && parseJson(this.#text) !== undefined
  }

  /** @returns whether this piece closed the outermost bracket or a quote outside of all brackets */
  #scan(piece: string): boolean {
    let closed = false
    for (let i = 0; i < piece.length; i++) {
      const character = piece[i]
      if (this.#escaped) this.#escaped = false
      else if (this.#inString) {
        if (character === '\\') this.#escaped = true
        else if (character === '"') this.#inString = false
        if (!this.#inString && this.#depth === 0) closed = true
      } else if (character === '"') this.#inString = true
      else if (character === '{' || character === '[') this.#depth++
      else if (character === '}' || character === ']') {
        this.#depth--
        if (this.#depth === 0) closed = true
      }
    }
    return closed
  }
}
