/** Per-request rows of a real engine, as the records that a load process would have written. */
import { readFileSync } from 'node:fs'
import { createGapHistogram } from '../../src/metrics/gap-histogram.ts'
import type { ShardRecord } from '../../src/metrics/sample.ts'
import { sampleOf, shardOf } from './records.ts'

const WINDOW_MS = 60_000
const BIN_MS = 100

export interface RealStep {
  readonly concurrency: number
  readonly shard: ShardRecord
}

/** The steps of the fixture in the order in which they were measured. */
export function realSteps(): RealStep[] {
  const steps = new Map<number, number[][]>()
  for (const row of rowsOf('llamacpp_small_closed_requests.csv')) {
    steps.set(row[1] ?? 0, [...(steps.get(row[1] ?? 0) ?? []), row])
  }
  return [...steps.values()].map((rows) => ({ concurrency: rows[0]?.[0] ?? 0, shard: shardOfRows(rows) }))
}

/** Numeric rows of a fixture: comments and the header left out. */
export function rowsOf(fixture: string): number[][] {
  const text = readFileSync(new URL(`../fixtures/${fixture}`, import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.slice(1).map((line) => line.split(',').map(Number))
}

function shardOfRows(rows: readonly number[][]): ShardRecord {
  const gaps = createGapHistogram()
  const counts = new Array<number>(WINDOW_MS / BIN_MS).fill(0)
  const samples = rows.map((row, index) => {
    const [, , scheduledAtMs = 0, sentAtMs = 0, firstAtMs = 0, lastAtMs = 0, input = 0, output = 0] = row
    const isMeasured = sentAtMs >= 0 && sentAtMs < WINDOW_MS
    const gapMs = (lastAtMs - firstAtMs) / (output - 1)
    // The rows hold the first and the last event only; those between are taken as evenly spaced.
    const eventsAtMs = Array.from({ length: output }, (_, event) => firstAtMs + event * gapMs)
    const inside = eventsAtMs.filter((atMs) => atMs >= 0 && atMs < WINDOW_MS)
    for (const atMs of inside)
      counts[Math.floor(atMs / BIN_MS)] = (counts[Math.floor(atMs / BIN_MS)] ?? 0) + 1
    for (let gap = 1; isMeasured && gap < output; gap++) gaps.record(gapMs)
    return sampleOf({
      index,
      phase: isMeasured ? 'window' : sentAtMs < 0 ? 'warmup' : 'tail',
      scheduledAtMs,
      dispatchedAtMs: sentAtMs,
      sentAtMs,
      firstByteAtMs: firstAtMs,
      firstContentAtMs: firstAtMs,
      firstVisibleAtMs: firstAtMs,
      lastContentAtMs: lastAtMs,
      closedAtMs: lastAtMs,
      inputTokensAsked: input,
      inputTokens: input,
      outputTokensAsked: output,
      outputTokens: output,
      contentEvents: output,
      contentEventsInWindow: inside.length,
    })
  })
  return shardOf(samples, {
    windowEndMs: WINDOW_MS,
    gapHistogram: gaps.encode(),
    contentEventBins: { binMs: BIN_MS, counts },
  })
}
