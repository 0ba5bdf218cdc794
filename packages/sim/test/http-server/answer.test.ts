import { expect, test } from 'vitest'
import { parseFaultHeader } from '../../src/faults/catalogue.ts'
import { type AnswerInput, answerText, planAnswer } from '../../src/http-server/answer.ts'
import { type CompletionRequest, readCompletionRequest } from '../../src/http-server/completion-request.ts'
import { countTokens } from '../../src/model/tokenizer.ts'

function requestOf(body: object): CompletionRequest {
  const text = JSON.stringify({ messages: [{ role: 'user', content: 'Hi.' }], ...body })
  const request = readCompletionRequest('chat', text, 16)
  if ('status' in request) throw new Error(request.message)
  return request
}

function plan(body: object, changes: Partial<AnswerInput> = {}) {
  return planAnswer({
    request: requestOf(body),
    promptTokens: 10,
    maxModelTokens: 1000,
    answerTokens: { kind: 'fixed', tokens: 50 },
    reasons: false,
    fault: null,
    seed: 1,
    ...changes,
  })
}

test('answer: ends by itself, at max_tokens, or at the end of the context', () => {
  expect(plan({})).toMatchObject({ tokens: 50, finishReason: 'stop' })
  expect(plan({ max_tokens: 20 })).toMatchObject({ tokens: 20, finishReason: 'length' })
  expect(plan({ max_tokens: 80, ignore_eos: true })).toMatchObject({ tokens: 80, finishReason: 'length' })
  expect(plan({ min_tokens: 70 })).toMatchObject({ tokens: 70, finishReason: 'stop' })
  expect(plan({ ignore_eos: true })).toMatchObject({ tokens: 990, finishReason: 'length' })
})

test('answer: its text counts to its tokens, and a seed repeats it', () => {
  const answer = plan({ max_tokens: 40, seed: 3 })
  expect(countTokens(answerText(answer, 'content'))).toBe(40)
  expect(answerText(plan({ max_tokens: 40, seed: 3 }, { seed: 99 }), 'content')).toBe(
    answerText(answer, 'content'),
  )
  expect(answerText(plan({ max_tokens: 40, seed: 4 }), 'content')).not.toBe(answerText(answer, 'content'))
})

test('answer: a stop string ends it and is not sent', () => {
  const whole = answerText(plan({ max_tokens: 40, seed: 3 }), 'content')
  const [, second = '', third = ''] = whole.split(' ')
  const stop = `${second[second.length - 1]} ${third}`
  const answer = plan({ max_tokens: 40, seed: 3, stop })
  const text = answerText(answer, 'content')
  expect(answer.finishReason).toBe('stop')
  expect(whole.indexOf(stop)).toBeGreaterThanOrEqual(0)
  expect(`${text}${stop}`.startsWith(whole.slice(0, whole.indexOf(stop)))).toBe(true)
  expect(text).not.toContain(stop)
})

test('answer: reasoning comes first and is half of the tokens', () => {
  const answer = plan({ max_tokens: 20, ignore_eos: true, chat_template_kwargs: { enable_thinking: true } })
  expect(countTokens(answerText(answer, 'reasoning'))).toBe(10)
  expect(countTokens(answerText(answer, 'content'))).toBe(10)
})

test.each([1, 2, 3, 5, 40])('answer: %i tokens of JSON are one complete object', (tokens) => {
  const json = { max_tokens: tokens, response_format: { type: 'json_object' } }
  expect(() => JSON.parse(answerText(plan(json), 'content'))).not.toThrow()
  expect(() => JSON.parse(answerText(plan({ ...json, ignore_eos: true }), 'content'))).not.toThrow()
})

test('answer: with ignore_eos the object is complete after three quarters, then come line feeds', () => {
  const text = answerText(
    plan({ max_tokens: 40, ignore_eos: true, response_format: { type: 'json_object' } }),
    'content',
  )
  expect(text).toMatch(/^\{"text":".*"\}\n{10}$/)
})

test('answer: the fault of ignored limits obeys neither ignore_eos nor min_tokens', () => {
  const fault = parseFaultHeader('eos-not-ignored')
  if (typeof fault === 'string') throw new Error(fault)
  const answer = plan({ max_tokens: 100, min_tokens: 100, ignore_eos: true }, { fault })
  expect(answer).toMatchObject({ tokens: 50, finishReason: 'stop' })
})
