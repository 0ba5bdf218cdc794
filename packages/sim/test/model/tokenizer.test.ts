import { expect, test } from 'vitest'
import { countTokens, tokenizeChat, tokenizeIds, tokenizeText } from '../../src/model/tokenizer.ts'

test('tokenizer: a word costs a token per four characters, white space nothing', () => {
  expect(countTokens('')).toBe(0)
  expect(countTokens('  one \n two\t')).toBe(2)
  // 4, 5 and 12 characters.
  expect(countTokens('four fives twelve-chars')).toBe(1 + 2 + 3)
})

test('tokenizer: a chat adds four tokens per message and three for the answer', () => {
  const chat = tokenizeChat(
    [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'hi' },
    ],
    16,
  )
  expect(chat.tokens).toBe(4 + 2 + 4 + 1 + 3)
  expect(tokenizeText('', 16).tokens).toBe(1)
  expect(tokenizeIds([5, 6, 7], 2)).toMatchObject({ tokens: 3, prefixHashes: [expect.any(Number)] })
})

test('tokenizer: prompts share the hashes of the blocks that they share, and none after the first difference', () => {
  const words = Array.from({ length: 100 }, (_, index) => `w${index % 7}`)
  const same = tokenizeText(words.join(' '), 16)
  const other = tokenizeText(words.map((word, index) => (index === 40 ? 'zz' : word)).join(' '), 16)
  expect(same.prefixHashes).toHaveLength(6)
  expect(other.prefixHashes.slice(0, 2)).toEqual(same.prefixHashes.slice(0, 2))
  for (const [block, hash] of other.prefixHashes.entries())
    if (block >= 2) expect(hash).not.toBe(same.prefixHashes[block])
})

test('tokenizer: where a word ends matters to the hash', () => {
  expect(tokenizeText('ab c', 2).prefixHashes).not.toEqual(tokenizeText('a bc', 2).prefixHashes)
})
