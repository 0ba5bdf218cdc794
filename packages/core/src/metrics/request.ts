/**
 * The metrics of one request, from its instants. Each is a definition of METRICS.md and a pure leaf without garbage:
 * a step may hold a million samples. Null means that the request has no such value; it is never 0.
 */
import type { Sample } from './sample.ts'
import type { SloMetric } from './slo-metric.ts'

export type RequestMetric = Exclude<SloMetric, 'gap'>

/** First content event minus `sent`, ms. */
export function ttftMs(sample: Sample): number | null {
  return between(sample.sentAtMs, sample.firstContentAtMs)
}

/** First content event minus `scheduled`, ms: includes what the generator itself was late. */
export function ttftScheduledMs(sample: Sample): number | null {
  return between(sample.scheduledAtMs, sample.firstContentAtMs)
}

/** First event that is not reasoning minus `sent`, ms. */
export function firstVisibleTokenMs(sample: Sample): number | null {
  return between(sample.sentAtMs, sample.firstVisibleAtMs)
}

/**
 * Time per output token after the first event, ms:
 *
 *   (last content - first content) / (N - n1),
 *
 * N output tokens, n1 of them in the first content event (1 when the server does not tell; see
 * {@link assumesFirstEventTokens}). A request of several sequences gives the pace of one of them: N is divided by their
 * number. Null when the count is unknown or N - n1 <= 0: a one-token reply has no pace.
 */
export function tpotMs(sample: Sample): number | null {
  const decodingMs = between(sample.firstContentAtMs, sample.lastContentAtMs)
  if (decodingMs === null || sample.outputTokens === null) return null
  const tokens = sample.outputTokens / sample.sequences - (sample.firstEventTokens ?? 1)
  return tokens > 0 ? decodingMs / tokens : null
}

/** True when TPOT rests on the assumption that the first event held one token. */
export function assumesFirstEventTokens(sample: Sample): boolean {
  return sample.firstEventTokens === null && tpotMs(sample) !== null
}

/** Last content event minus `sent`, ms. The stream's close is kept apart. */
export function e2eMs(sample: Sample): number | null {
  return between(sample.sentAtMs, sample.lastContentAtMs)
}

/** The text so far first parsed as one complete JSON value, minus `sent`, ms. */
export function validJsonMs(sample: Sample): number | null {
  return between(sample.sentAtMs, sample.validJsonAtMs)
}

/**
 * The instant at which a request stops occupying the server: its last content event when it succeeded, the close of
 * its stream otherwise. Null when it was never sent, or is not known to have ended.
 */
export function endedAtMs(sample: Sample): number | null {
  if (sample.sentAtMs === null) return null
  return isOk(sample)
    ? (sample.lastContentAtMs ?? sample.closedAtMs)
    : (sample.closedAtMs ?? sample.lastContentAtMs)
}

export function isOk(sample: Sample): boolean {
  return sample.outcome === 'ok'
}

/** How each SLO metric is read from a sample. `gap` is none of a request: it lives in the histogram. */
export const REQUEST_METRICS: Readonly<Record<RequestMetric, (sample: Sample) => number | null>> = {
  ttft: ttftMs,
  ttftScheduled: ttftScheduledMs,
  firstVisibleToken: firstVisibleTokenMs,
  tpot: tpotMs,
  e2e: e2eMs,
  validJson: validJsonMs,
}

function between(fromAtMs: number | null, toAtMs: number | null): number | null {
  return fromAtMs === null || toAtMs === null ? null : toAtMs - fromAtMs
}
