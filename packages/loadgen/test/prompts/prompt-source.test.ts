import { seededRandom } from '@loadcurve/core/random'
import { describe, expect, test } from 'vitest'
import { fitCalibration, tokensFor, wordsFor } from '../../src/prompts/calibration.ts'
import { NONCE_WORDS, nonceWords } from '../../src/prompts/nonce.ts'
import { type PromptSourceOptions, promptSource } from '../../src/prompts/prompt-source.ts'
import { WORDS } from '../../src/prompts/words.ts'

const OPTIONS: PromptSourceOptions = {
  endpoint: 'chat',
  calibration: { tokensPerWord: 1.25, overheadTokens: 10 },
  sharedPrefixTokens: 0,
  seed: 1,
  salt: 77,
  promptsPerRequest: 1,
  dataset: null,
}

function texts(options: Partial<PromptSourceOptions>, count: number, inputTokens = 110): string[] {
  const next = promptSource({ ...OPTIONS, ...options })
  return Array.from({ length: count }, (_, index) => {
    const { prompt } = next({ index, inputTokens, random: seededRandom(1, `${index}`) })
    return prompt.kind === 'texts'
      ? prompt.texts.join('|')
      : prompt.messages.map(({ content }) => content).join('|')
  })
}
const wordsOf = (text: string) => text.split(/\s+/)

describe('words', () => {
  test('are 256 different words of two to four letters', () => {
    expect(new Set(WORDS).size).toBe(256)
    expect(WORDS.every((word) => /^[a-z]{2,4}$/.test(word))).toBe(true)
  })
})

describe('nonce', () => {
  test('no two of ten thousand prompts, in each of two processes, have the same', () => {
    const all = [1, 0xdeadbeef].flatMap((salt) =>
      Array.from({ length: 10_000 }, (_, index) => nonceWords({ index, salt }).join(' ')),
    )
    expect(new Set(all).size).toBe(20_000)
  })

  test('the first word differs between any 256 prompts in a row', () => {
    const firsts = Array.from(
      { length: 256 },
      (_, index) => nonceWords({ index: index + 900, salt: 12_345 })[0],
    )
    expect(new Set(firsts).size).toBe(256)
  })
})

describe('calibration', () => {
  test('is the line through counted prompts', () => {
    const counted = [40, 400, 800].map((words) => ({ words, tokens: 11 + 1.3 * words }))
    const line = fitCalibration(counted)
    expect(line?.tokensPerWord).toBeCloseTo(1.3, 12)
    expect(line?.overheadTokens).toBeCloseTo(11, 9)
  })

  test('one length, none, or counts that do not rise give none', () => {
    expect(fitCalibration([])).toBeNull()
    expect(
      fitCalibration([
        { words: 40, tokens: 51 },
        { words: 40, tokens: 52 },
      ]),
    ).toBeNull()
    expect(
      fitCalibration([
        { words: 40, tokens: 51 },
        { words: 400, tokens: 51 },
      ]),
    ).toBeNull()
  })

  test('words for tokens and back', () => {
    const line = { tokensPerWord: 1.25, overheadTokens: 10 }
    expect(wordsFor(110, line)).toBe(80)
    expect(tokensFor(80, line)).toBe(110)
    expect(wordsFor(3, line)).toBe(1)
  })
})

describe('prompt source', () => {
  test('a prompt has the words that its tokens need, and begins with its nonce', () => {
    const [text = ''] = texts({}, 1)
    expect(wordsOf(text)).toHaveLength(80)
    expect(wordsOf(text).slice(0, NONCE_WORDS)).toEqual(nonceWords({ index: 0, salt: 77 }))
  })

  test('a prompt of one word keeps one word of its nonce', () => {
    expect(texts({}, 2, 1).map(wordsOf)).toEqual(
      [0, 1].map((index) => nonceWords({ index, salt: 77 }).slice(0, 1)),
    )
  })

  test('a shared prefix comes first, is the same in every process, and the nonce follows it', () => {
    const [a = '', b = ''] = texts({ sharedPrefixTokens: 50 }, 2)
    const [other = ''] = texts({ sharedPrefixTokens: 50, salt: 99 }, 1)
    const prefix = wordsOf(a).slice(0, 40)
    expect(wordsOf(b).slice(0, 40)).toEqual(prefix)
    expect(wordsOf(other).slice(0, 40)).toEqual(prefix)
    expect(wordsOf(a)).toHaveLength(80)
    expect(wordsOf(b).slice(40, 46)).toEqual(nonceWords({ index: 1, salt: 77 }))
  })

  test('several prompts in one request have nonces of their own', () => {
    const [text = ''] = texts({ endpoint: 'completions', promptsPerRequest: 3 }, 1)
    const prompts = text.split('|')
    expect(prompts.map((one) => wordsOf(one).slice(0, 6))).toEqual(
      [0, 1, 2].map((index) => nonceWords({ index, salt: 77 })),
    )
    const asked = promptSource({ ...OPTIONS, endpoint: 'completions', promptsPerRequest: 3 })({
      index: 0,
      inputTokens: 110,
      random: Math.random,
    })
    expect(asked.inputTokensAsked).toBe(330)
  })

  test('a data set is dealt in its order or shuffled, the same in every process', () => {
    const conversations = ['one', 'two', 'three'].map((content) => ({
      messages: [{ role: 'user', content }],
    }))
    const last = (text: string) => text.split('\n').at(-1)
    expect(texts({ dataset: { conversations, order: 'sequential' } }, 4).map(last)).toEqual([
      'one',
      'two',
      'three',
      'one',
    ])
    const shuffled = texts({ dataset: { conversations, order: 'shuffled' } }, 3).map(last)
    expect([...shuffled].sort()).toEqual(['one', 'three', 'two'])
    expect(texts({ dataset: { conversations, order: 'shuffled' }, salt: 5 }, 3).map(last)).toEqual(shuffled)
  })

  test('what cannot work throws, quoting the value', () => {
    expect(() => promptSource({ ...OPTIONS, promptsPerRequest: 2 })).toThrow('promptsPerRequest 2')
    expect(() => promptSource({ ...OPTIONS, promptsPerRequest: 0 })).toThrow('got 0')
    expect(() => promptSource({ ...OPTIONS, dataset: { conversations: [], order: 'shuffled' } })).toThrow(
      'empty',
    )
  })
})
