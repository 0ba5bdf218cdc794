/** A target in virtual time: answers after a TTFT, then one token per TPOT. The executors' oracle is its arithmetic. */
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { PreparedRequest } from '../src/drive.ts'
import type { StepOrder } from '../src/step-order.ts'
import type { ExchangeResult } from '../src/target/result.ts'
import type { VirtualClock } from '../src/virtual-clock.ts'

export interface VirtualAnswer {
  readonly ttftMs: number
  readonly tpotMs: number
  readonly tokens: number
  readonly outcome?: 'ok' | 'http_error'
}

export function virtualTarget(
  clock: VirtualClock,
  answerOf: (index: number) => VirtualAnswer,
): (index: number) => PreparedRequest {
  return (index) => ({
    asked: { inputTokens: 10, outputTokens: answerOf(index).tokens, sequences: 1 },
    send: async ({ onContentEvent, onConnectionFree, signal }) => {
      const { ttftMs, tpotMs, tokens, outcome = 'ok' } = answerOf(index)
      const sentAtMs = clock.nowMs()
      let events = 0
      while (outcome === 'ok' && events < tokens) {
        await clock.sleepUntilMs(sentAtMs + ttftMs + events * tpotMs, signal)
        if (signal?.aborted) break
        events++
        onContentEvent?.(clock.nowMs(), 1)
      }
      onConnectionFree?.()
      const lastContentAtMs = events === 0 ? null : clock.nowMs()
      return result({
        sentAtMs,
        ttftMs,
        events,
        lastContentAtMs,
        outcome: signal?.aborted ? 'cancelled' : outcome,
      })
    },
  })
}

function result(facts: {
  sentAtMs: number
  ttftMs: number
  events: number
  lastContentAtMs: number | null
  outcome: 'ok' | 'http_error' | 'cancelled'
}): ExchangeResult {
  const { sentAtMs, events, lastContentAtMs, outcome } = facts
  const firstContentAtMs = events === 0 ? null : sentAtMs + facts.ttftMs
  return {
    outcome,
    httpStatus: outcome === 'http_error' ? 503 : 200,
    errorCode: outcome === 'ok' ? null : outcome,
    errorText: null,
    retries: 0,
    sentAtMs,
    firstByteAtMs: firstContentAtMs,
    firstContentAtMs,
    firstVisibleAtMs: firstContentAtMs,
    lastContentAtMs,
    validJsonAtMs: null,
    closedAtMs: lastContentAtMs ?? sentAtMs,
    inputTokens: 10,
    inputTokensSource: 'usage',
    outputTokens: outcome === 'ok' ? events : null,
    outputTokensSource: outcome === 'ok' ? 'usage' : 'unknown',
    reasoningTokens: null,
    cachedInputTokens: null,
    firstEventTokens: 1,
    contentEvents: events,
    sequences: 1,
    finishReason: outcome === 'ok' ? 'stop' : null,
    text: '',
    reasoningText: '',
    model: null,
    comments: 0,
    whole: false,
  }
}

const { target, workload } = resolvePlan({
  name: 'virtual',
  target: { baseUrl: 'http://127.0.0.1:1/v1', model: 'virtual' },
})

/** An order that a test changes where it matters. */
export function virtualOrder(changes: Partial<StepOrder> = {}): StepOrder {
  return {
    schemaVersion: 1,
    target,
    workload,
    level: { batch: null, concurrency: 8, ratePerS: null },
    sequencesPerRequest: 1,
    part: { shard: 0, shards: 1 },
    window: {
      warmup: { durationMs: 5000, endedMin: 0, maxMs: 5000 },
      durationMs: 20_000,
      requestsMin: 0,
      maxMs: 60_000,
      drainMaxMs: 10_000,
    },
    staggerMs: 1000,
    inFlightMax: 1000,
    seed: 1,
    promptCalibration: null,
    policy: { allowList: '', ownEndpoints: [] },
    calibrate: false,
    ...changes,
  }
}
