import { FAULTS, type FaultName } from '@loadcurve/sim/faults/catalogue'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Asked, ask, TOKENS, TOKENS_PER_WIDE_EVENT } from './simulator-set-up.ts'

const OK = {
  outcome: 'ok',
  errorCode: null,
  outputTokens: TOKENS,
  outputTokensSource: 'usage',
  contentEvents: TOKENS,
  finishReason: 'length',
  retries: 0,
}
const EXPECTED: Record<FaultName, object> = {
  refuse: { outcome: 'connection_error', errorCode: 'connection_reset', retries: 2, firstByteAtMs: null },
  'reset-before-head': {
    outcome: 'connection_error',
    errorCode: 'connection_reset',
    retries: 2,
    firstByteAtMs: null,
  },
  'stall-before-head': {
    outcome: 'timeout',
    errorCode: 'first_byte_timeout',
    firstByteAtMs: null,
    firstContentAtMs: null,
  },
  'slow-head': OK,
  'http-429': {
    outcome: 'http_error',
    errorCode: 'rate_limited',
    httpStatus: 429,
    errorText: 'Too many requests.',
    firstContentAtMs: null,
  },
  'http-500': { outcome: 'http_error', errorCode: 'server_error', httpStatus: 500 },
  'http-503': { outcome: 'http_error', errorCode: 'unavailable', httpStatus: 503 },
  'error-body-200': { outcome: 'in_band_error', httpStatus: 200, errorText: 'The engine failed.' },
  'html-200': { outcome: 'in_band_error', errorCode: 'not_json', httpStatus: 200 },
  // Node resets a socket after a FIN, and the client may read either of them first.
  'reset-mid-stream': {
    outcome: expect.stringMatching(/^(connection_error|truncated)$/),
    errorCode: expect.stringMatching(/^(connection_reset|closed_early)$/),
    contentEvents: 3,
    outputTokens: null,
    retries: 0,
  },
  'stall-mid-stream': { outcome: 'timeout', errorCode: 'idle_timeout', contentEvents: 3 },
  'eof-mid-stream': { outcome: 'truncated', errorCode: 'ended_early', contentEvents: 3 },
  'cut-mid-stream': { outcome: 'truncated', errorCode: 'closed_early', contentEvents: 3 },
  'error-event': { outcome: 'in_band_error', errorCode: 'internalservererror', contentEvents: 3 },
  'error-field': { outcome: 'in_band_error', errorCode: 'internalservererror', contentEvents: 3 },
  'no-done': OK,
  'no-finish': { ...OK, finishReason: null },
  'missing-usage': { ...OK, outputTokens: null, outputTokensSource: 'unknown', inputTokens: null },
  'usage-twice': OK,
  'data-null': OK,
  'empty-deltas': OK,
  'several-tokens': { ...OK, contentEvents: TOKENS / TOKENS_PER_WIDE_EVENT },
  crlf: OK,
  cr: OK,
  comments: OK,
  'multi-line-data': OK,
  'other-fields': OK,
  bom: OK,
  'utf8-split': { ...OK, text: ' é 漢字 😀'.repeat(TOKENS / 3) },
  'byte-per-write': OK,
  'huge-event': OK,
  gzip: OK,
  buffered: OK,
  'half-closed': OK,
  'eos-not-ignored': { outcome: 'ok' },
  'length-cut': { ...OK, outputTokens: TOKENS / 2, contentEvents: TOKENS / 2, finishReason: 'stop' },
  'empty-answer': {
    outcome: 'empty',
    errorCode: 'no_tokens',
    firstContentAtMs: null,
    lastContentAtMs: null,
    outputTokens: 0,
  },
  'reasoning-only': OK,
  'content-filter': {
    ...OK,
    outputTokens: TOKENS / 2,
    contentEvents: TOKENS / 2,
    finishReason: 'content_filter',
  },
  'invalid-json': { ...OK, finishReason: 'stop' },
}
const TEXT_DIFFERS: readonly FaultName[] = [
  'utf8-split',
  'huge-event',
  'length-cut',
  'content-filter',
  'reasoning-only',
  'eos-not-ignored',
]

/** What a server holds back, compresses in a thread, or writes byte by byte, a client cannot date. */
const NOT_DATED: readonly FaultName[] = ['buffered', 'several-tokens', 'huge-event', 'gzip', 'byte-per-write']

/** TTFT and TPOT against the server's own instants, ms: what is measured, less what was served. */
function timeErrors({ result, record }: Asked): { readonly ttftMs: number; readonly tpotMs: number } {
  const ttftMs = Number(result.firstContentAtMs) - Number(record.firstTokenAtMs)
  if (result.outcome !== 'ok' || result.outputTokens === null || result.outputTokens < 2)
    return { ttftMs, tpotMs: 0 }
  const measuredMs = Number(result.lastContentAtMs) - Number(result.firstContentAtMs)
  const servedMs = Number(record.lastTokenAtMs) - Number(record.firstTokenAtMs)
  return { ttftMs, tpotMs: (measuredMs - servedMs) / (result.outputTokens - 1) }
}

function expectInstants({ result, instantsMs }: Asked): void {
  expect(instantsMs).toHaveLength(result.contentEvents)
  expect(instantsMs).toEqual([...instantsMs].sort((a, b) => a - b))
  expect(result.firstContentAtMs).toBe(instantsMs[0] ?? null)
  expect(result.lastContentAtMs).toBe(instantsMs.at(-1) ?? null)
}

/** A machine that is busy with other things holds both up: then the question is asked again, up to five times. */
async function expectTimes(first: Asked, again: () => Promise<Asked>): Promise<void> {
  let asked = first
  for (let attempt = 1; ; attempt++) {
    const { ttftMs, tpotMs } = timeErrors(asked)
    // A token waits for the server to write it and for the client to read it: a turn of the shared loop each.
    const lateMaxMs = 1 + 2 * asked.loopDelayMs
    expect(ttftMs).toBeGreaterThanOrEqual(0)
    if (ttftMs < lateMaxMs && Math.abs(tpotMs) < lateMaxMs / (TOKENS - 1)) return
    if (attempt === 5) expect({ ttftMs, tpotMs, lateMaxMs }).toBe('within a turn of the loop')
    asked = await again()
  }
}

let plainText: string
beforeAll(async () => {
  plainText = (await ask('completions', null)).result.text
})

describe.each(['chat', 'completions'] as const)(
  'simulator, %s: every fault has its outcome, tokens, text and times',
  (endpoint) => {
    test.each(Object.keys(FAULTS) as FaultName[])('%s', async (fault) => {
      const header = fault === 'slow-head' ? 'slow-head;delayMs=300' : fault
      const asked = await ask(endpoint, header)
      const expected = { ...EXPECTED[fault] }
      expect(asked.result).toMatchObject(expected)
      if ('outputTokens' in expected && expected.outputTokens === TOKENS && !TEXT_DIFFERS.includes(fault)) {
        expect(asked.result.text).toBe(plainText)
      }
      expectInstants(asked)
      if (asked.result.firstContentAtMs === null || NOT_DATED.includes(fault)) return
      await expectTimes(asked, () => ask(endpoint, header))
    })
  },
)
