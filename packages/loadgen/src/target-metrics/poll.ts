/**
 * Reads a server's metrics at a fixed interval while a step runs. Nothing waits for it: a poll that hangs is given up
 * at its deadline, the polls that would have overlapped it are left out and counted, and stopping never waits.
 * With more connections than it has HTTP threads, a server may answer only after seconds (llama.cpp does).
 */

import type { TargetReading } from '@loadcurve/core/metrics/sample'
import type { Visitor } from '../target/visitor.ts'
import { type MetricsMapping, recogniseEngine, shippedMapping } from './mapping.ts'
import { parsePrometheusText } from './prometheus-text.ts'
import { targetReading } from './reading.ts'

export interface PollOptions {
  readonly visitor: Visitor
  readonly url: string
  /** Null: recognised from the names on the first page. */
  readonly mapping: MetricsMapping | null
  readonly intervalMs: number
  /** A poll that takes longer is given up, ms; default 5000. */
  readonly timeoutMs?: number
  readonly nowMs: () => number
  readonly onReading: (reading: TargetReading) => void
}

export interface PollCounts {
  readonly readings: number
  /** Polls without a usable answer. */
  readonly failed: number
  /** Polls left out because the one before had not ended. */
  readonly skipped: number
  /** Code of the last failure, null when there was none. */
  readonly lastError: string | null
}

export interface Poll {
  counts(): PollCounts
  /** Returns at once; a reading under way is dropped. */
  stop(): void
}

/** Starts polling; the first reading is taken at once. */
export function pollTargetMetrics(options: PollOptions): Poll {
  const counts = { readings: 0, failed: 0, skipped: 0, lastError: null as string | null }
  const stopping = new AbortController()
  let mapping = options.mapping
  let busy = false

  const readOnce = async () => {
    const answer = await readPage(options, stopping.signal)
    if (stopping.signal.aborted) return
    if ('error' in answer) {
      counts.failed++
      counts.lastError = answer.error
      return
    }
    const samples = parsePrometheusText(answer.page)
    const engine = mapping === null ? recogniseEngine(samples) : null
    if (engine !== null) mapping = shippedMapping(engine)
    if (mapping === null) {
      counts.failed++
      counts.lastError = 'engine_not_recognised'
      return
    }
    counts.readings++
    options.onReading(targetReading(samples, mapping, answer.atMs))
  }
  const tick = () => {
    if (busy) counts.skipped++
    else {
      busy = true
      void readOnce().finally(() => {
        busy = false
      })
    }
  }
  const timer = setInterval(tick, options.intervalMs)
  timer.unref()
  tick()
  return {
    counts: () => ({ ...counts }),
    stop: () => {
      clearInterval(timer)
      stopping.abort()
    },
  }
}

async function readPage(
  { visitor, url, timeoutMs, nowMs }: PollOptions,
  signal: AbortSignal,
): Promise<{ readonly page: string; readonly atMs: number } | { readonly error: string }> {
  const askedAtMs = nowMs()
  const answer = await visitor.visit({ url, timeoutMs: timeoutMs ?? 5000, signal })
  if (!answer.ok) return { error: answer.code }
  if (answer.status !== 200) return { error: `http_${answer.status}` }
  // The page was written some time between the question and the answer.
  return { page: answer.text, atMs: (askedAtMs + nowMs()) / 2 }
}
