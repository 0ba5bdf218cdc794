import { describe, expect, test } from 'vitest'
import { ask, TOKENS, TOKENS_PER_WIDE_EVENT } from './simulator-set-up.ts'

describe('simulator: what single faults are about', () => {
  test('slow-head: TTFT holds the wait for the head', async () => {
    const { result } = await ask('chat', 'slow-head;delayMs=300')
    expect(Number(result.firstByteAtMs) - Number(result.sentAtMs)).toBeGreaterThanOrEqual(299)
    expect(Number(result.firstContentAtMs)).toBeGreaterThan(Number(result.firstByteAtMs))
  })

  test('buffered: all content has one instant, the last', async () => {
    const { result, instantsMs, record } = await ask('chat', 'buffered')
    expect(result.firstContentAtMs).toBe(result.lastContentAtMs)
    expect(instantsMs[0]).toBeGreaterThanOrEqual(Number(record.lastTokenAtMs))
  })

  test('huge-event: 5 MB in one event arrive whole', async () => {
    const { result } = await ask('chat', 'huge-event', { keepText: true })
    expect(result.text.length).toBeGreaterThan(5 * 1024 * 1024)
  })

  test('eos-not-ignored: the tokens are those that were written, not those that were asked', async () => {
    const { result, record } = await ask('chat', 'eos-not-ignored', { outputTokens: 30 })
    expect(record.outputTokens).toBeLessThan(30)
    expect(result).toMatchObject({ outcome: 'ok', outputTokens: record.outputTokens })
  })

  test('reasoning-only: a first token, and no visible one', async () => {
    const { result } = await ask('chat', 'reasoning-only')
    expect(result).toMatchObject({
      outcome: 'ok',
      reasoningTokens: TOKENS,
      outputTokens: TOKENS,
      firstVisibleAtMs: null,
      text: '',
    })
    expect(result.firstContentAtMs).not.toBeNull()
  })

  test('content-filter, length and invalid JSON fail only when the plan says so', async () => {
    const json = { expectJson: true, extraBody: { seed: 5, response_format: { type: 'json_object' } } }
    expect((await ask('chat', 'content-filter', { failOn: ['content_filter'] })).result.outcome).toBe(
      'content_filter',
    )
    expect((await ask('chat', null, { failOn: ['length_cut'] })).result.outcome).toBe('length_cut')
    expect((await ask('chat', 'invalid-json', { ...json, failOn: ['invalid_json'] })).result).toMatchObject({
      outcome: 'invalid_json',
      validJsonAtMs: null,
    })
    expect((await ask('chat', 'invalid-json', json)).result).toMatchObject({
      outcome: 'ok',
      validJsonAtMs: null,
    })
  })

  test('JSON output: complete at the token that closes it, while the server goes on', async () => {
    const { result, instantsMs } = await ask('chat', null, {
      expectJson: true,
      failOn: ['invalid_json'],
      extraBody: { seed: 5, response_format: { type: 'json_object' } },
    })
    // The simulator closes the value at three quarters of the tokens and writes line feeds after it.
    expect(result).toMatchObject({ outcome: 'ok', outputTokens: TOKENS })
    expect(result.validJsonAtMs).toBe(instantsMs[Math.ceil(TOKENS * 0.75) - 1])
  })

  test('continuous usage tells how many tokens an event holds', async () => {
    const { result } = await ask('chat', 'several-tokens', { continuousUsage: true })
    expect(result).toMatchObject({
      firstEventTokens: TOKENS_PER_WIDE_EVENT,
      outputTokens: TOKENS,
      contentEvents: TOKENS / TOKENS_PER_WIDE_EVENT,
    })
  })

  test('reasoning first: TTFT at the first reasoning token, first visible token later', async () => {
    const { result, instantsMs } = await ask('chat', null, {
      extraBody: { seed: 5, chat_template_kwargs: { enable_thinking: true } },
    })
    expect(result.reasoningTokens).toBe(TOKENS / 2)
    expect(result.firstContentAtMs).toBe(instantsMs[0])
    expect(result.firstVisibleAtMs).toBe(instantsMs[TOKENS / 2])
  })

  test('several sequences: tokens of all of them, one request', async () => {
    const { result } = await ask('completions', null, {
      prompt: { kind: 'texts', texts: ['one two', 'three four five'] },
      n: 2,
    })
    expect(result).toMatchObject({ outcome: 'ok', sequences: 4, outputTokens: 4 * TOKENS, inputTokens: 6 })
  })

  test('without a stream: tokens and E2E, one instant, no TPOT', async () => {
    const { result } = await ask('chat', null, { stream: false })
    expect(result).toMatchObject({
      outcome: 'ok',
      whole: true,
      outputTokens: TOKENS,
      firstEventTokens: TOKENS,
      contentEvents: 1,
      text: (await ask('chat', null)).result.text,
    })
    expect(result.firstContentAtMs).toBe(result.lastContentAtMs)
  })
})
