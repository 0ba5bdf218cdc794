import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonValueWatch } from '../../src/wire/json-value.ts'

/** Brute force: the first piece after which the whole text so far parses. */
function firstComplete(pieces: readonly string[]): number | null {
  let text = ''
  for (const [index, piece] of pieces.entries()) {
    text += piece
    try {
      JSON.parse(text)
      return index
    } catch {}
  }
  return null
}

function watched(pieces: readonly string[]): number | null {
  const watch = new JsonValueWatch()
  for (const [index, piece] of pieces.entries()) watch.add(piece, index)
  return watch.completeAtMs
}

function cut(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((one) => one % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, i) => text.slice(start, at[i] ?? text.length))
}

const rows: [text: string[], at: number | null][] = [
  [['{"a":', ' "}', '"', '}', '\n'], 3],
  [['{"a":"\\', '"}', '"}'], 2],
  [[' [1', ',2]', ' '], 1],
  [['1', '2'], 0],
  [['tr', 'ue'], 1],
  [['"a', 'b"'], 1],
  [['Sure: ', '{}'], null],
  [['{}', ' and more'], 0],
  [['}', '{', '}'], null],
  [['{', ''], null],
]
test.each(rows)('valid JSON: %j is complete at piece %j', (pieces, at) => {
  expect(watched(pieces)).toBe(at)
  expect(firstComplete(pieces)).toBe(at)
})

test('valid JSON: any value, cut anywhere, is complete when brute force says so', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      fc.constantFrom('', '\n', ' x'),
      (json, cuts, tail) => {
        const pieces = cut(json + tail, cuts)
        expect(watched(pieces)).toBe(firstComplete(pieces))
      },
    ),
    { numRuns: 2000, seed: 8 },
  )
})

test('valid JSON: what follows the value spoils the whole text, not the instant', () => {
  const watch = new JsonValueWatch()
  watch.add('{"a":1}', 5)
  expect(watch.isValid()).toBe(true)
  watch.add(' thank you', 6)
  expect({ at: watch.completeAtMs, valid: watch.isValid() }).toEqual({ at: 5, valid: false })
})

test('valid JSON: a megabyte in small pieces costs its length, not its square', () => {
  const watch = new JsonValueWatch()
  watch.add('{"a":"', 0)
  const startedAtMs = performance.now()
  for (let i = 0; i < 250_000; i++) watch.add('four', i)
  watch.add('"}', 250_000)
  expect(watch.completeAtMs).toBe(250_000)
  // Parsing at each piece would read 125 GB.
  expect(performance.now() - startedAtMs).toBeLessThan(5000)
})
