import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DatasetError, loadDataset, parseDataset } from '../../src/prompts/dataset.ts'

const violationsOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (error instanceof DatasetError) return error.violations
  }
  return null
}

describe('data set: OpenAI messages', () => {
  test('a conversation up to its last question', () => {
    const line = {
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
        { role: 'assistant', content: 'd' },
      ],
    }
    expect(parseDataset(JSON.stringify(line), 'messages')).toEqual([{ messages: line.messages.slice(0, 4) }])
  })

  test('a bare list, and content in parts; blank lines do not count', () => {
    const line = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]
    expect(parseDataset(`\n${JSON.stringify(line)}\n\n`, 'messages')).toEqual([
      { messages: [{ role: 'user', content: 'a\nb' }] },
    ])
  })

  test('every wrong line is named', () => {
    const lines = [
      '{"messages":[{"role":"user","content":"a"}]}',
      'no json',
      '{"messages":[{"role":"user"}]}',
      '{"messages":[{"role":"assistant","content":"b"}]}',
      '{"other":1}',
    ]
    expect(violationsOf(() => parseDataset(lines.join('\n'), 'messages'))).toEqual([
      { line: 2, message: 'needs messages: an array' },
      { line: 3, message: 'messages[0] needs role and content' },
      { line: 4, message: 'holds no message of a user' },
      { line: 5, message: 'needs messages: an array' },
    ])
  })

  test('an empty file is no data set', () => {
    expect(violationsOf(() => parseDataset('\n\n', 'messages'))).toEqual([
      { line: 0, message: 'the data set holds no conversation' },
    ])
  })
})

describe('data set: ShareGPT', () => {
  test('human and gpt become user and assistant', () => {
    const line = {
      id: 'x',
      conversations: [
        { from: 'human', value: 'a' },
        { from: 'gpt', value: 'b' },
      ],
    }
    expect(parseDataset(JSON.stringify(line), 'sharegpt')).toEqual([
      { messages: [{ role: 'user', content: 'a' }] },
    ])
  })

  test('an unknown speaker is named', () => {
    const line = { conversations: [{ from: 'nobody', value: 'a' }] }
    expect(violationsOf(() => parseDataset(JSON.stringify(line), 'sharegpt'))).toEqual([
      { line: 1, message: 'conversations[0] needs from and value' },
    ])
  })
})

describe('data set: files', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'dataset-'))
    await writeFile(join(dataDir, 'chat.jsonl'), '{"messages":[{"role":"user","content":"a"}]}\n')
  })
  afterAll(() => rm(dataDir, { recursive: true }))

  test('inside the data folder', async () => {
    expect(await loadDataset({ dataDir, file: 'chat.jsonl', format: 'messages' })).toHaveLength(1)
  })

  test.each([
    ['missing.jsonl', 'is not in the data folder'],
    ['../chat.jsonl', 'lies outside the data folder'],
    ['/etc/passwd', 'lies outside the data folder'],
  ])('%s is refused', async (file, words) => {
    await expect(loadDataset({ dataDir, file, format: 'messages' })).rejects.toThrow(words)
  })
})
