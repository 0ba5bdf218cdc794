import { describe, expect, test } from 'vitest'
import { type Facts, judge } from '../../src/target/outcome.ts'

const WHOLE: Facts = {
  ending: { kind: 'end', code: null, text: null },
  httpStatus: 200,
  bodyKind: 'events',
  bodyText: '',
  error: null,
  done: true,
  finishReasons: ['stop'],
  contentEvents: 5,
  outputTokens: 5,
  isValidJson: false,
  sequences: 1,
  failOn: [],
}
const CLOSED = { kind: 'closed', code: 'closed_early', text: null } as const
const RESET = { kind: 'failed', code: 'connection_reset', text: null } as const
const SILENT = { kind: 'timeout', code: 'idle_timeout', text: null } as const
const ERROR = { code: 'server_error', text: 'no' }

describe('outcome: the order of the rules', () => {
  const rows: [fact: string, change: Partial<Facts>, outcome: string][] = [
    ['a whole answer is ok', {}, 'ok'],
    ['a finish reason without [DONE] is ok', { done: false }, 'ok'],
    ['[DONE] without a finish reason is ok', { finishReasons: [] }, 'ok'],
    ['a reset after the end harms nobody', { ending: RESET }, 'ok'],
    ['a silence after the end harms nobody', { ending: SILENT }, 'ok'],
    [
      'we cancelled it, whatever it was',
      { ending: { kind: 'cancelled', code: null, text: null } },
      'cancelled',
    ],
    ['no head, and a deadline passed', { httpStatus: null, ending: SILENT }, 'timeout'],
    ['no head, and the connection failed', { httpStatus: null, ending: RESET }, 'connection_error'],
    ['a status speaks before the body', { httpStatus: 500, error: ERROR, done: true }, 'http_error'],
    ['an error inside speaks before [DONE]', { error: ERROR }, 'in_band_error'],
    ['an end without finish or [DONE]', { done: false, finishReasons: [] }, 'truncated'],
    ['a FIN without finish or [DONE]', { done: false, finishReasons: [], ending: CLOSED }, 'truncated'],
    ['a reset in mid-stream', { done: false, finishReasons: [], ending: RESET }, 'connection_error'],
    ['a silence in mid-stream', { done: false, finishReasons: [], ending: SILENT }, 'timeout'],
    ['one of two sequences finished', { done: false, sequences: 2 }, 'truncated'],
    ['both sequences finished', { done: false, sequences: 2, finishReasons: ['stop', 'length'] }, 'ok'],
    ['no text and no token', { contentEvents: 0, outputTokens: 0 }, 'empty'],
    ['no text and no count', { contentEvents: 0, outputTokens: null }, 'empty'],
    ['no text, but the end token was counted', { contentEvents: 0, outputTokens: 1 }, 'ok'],
    [
      'neither events nor JSON',
      { bodyKind: 'other', done: false, finishReasons: [], contentEvents: 0 },
      'in_band_error',
    ],
    [
      'JSON that is no completion',
      { bodyKind: 'json', done: false, finishReasons: [], contentEvents: 0 },
      'in_band_error',
    ],
    [
      'a JSON body cut by a FIN',
      { bodyKind: 'json', done: false, finishReasons: [], contentEvents: 0, ending: CLOSED },
      'truncated',
    ],
    ['cut at the length, and the plan does not mind', { finishReasons: ['length'] }, 'ok'],
    [
      'cut at the length, and the plan minds',
      { finishReasons: ['length'], failOn: ['length_cut'] },
      'length_cut',
    ],
    [
      'filtered, and the plan minds',
      { finishReasons: ['content_filter'], failOn: ['content_filter'] },
      'content_filter',
    ],
    ['not JSON, and the plan minds', { failOn: ['invalid_json'] }, 'invalid_json'],
    ['JSON, as the plan wants', { failOn: ['invalid_json'], isValidJson: true }, 'ok'],
  ]
  test.each(rows)('%s', (_fact, change, outcome) => {
    expect(judge({ ...WHOLE, ...change }).outcome).toBe(outcome)
  })

  const statuses: [status: number, code: string][] = [
    [307, 'redirect_not_followed'],
    [401, 'unauthorized'],
    [404, 'not_found'],
    [418, 'http_418'],
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ]
  test.each(statuses)('status %i is %s', (httpStatus, errorCode) => {
    expect(judge({ ...WHOLE, httpStatus })).toMatchObject({ outcome: 'http_error', errorCode })
  })
})
