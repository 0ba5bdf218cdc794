/**
 * What the server does with a request like the run's: does it stream, does it count tokens, does it go on to the asked
 * length? Seen on two answers: one asked like the load, one that is long enough to end by itself.
 */

import type { ExchangeResult } from '../target/result.ts'
import { blocker, type Finding, passed, warning } from './finding.ts'

export interface SeenAnswer {
  readonly result: ExchangeResult
  /** Receive instants of its content events. */
  readonly instantsMs: readonly number[]
  readonly outputTokensAsked: number
  /** The server told with every content event how many tokens it held. */
  readonly tokensTold: boolean
}

/** Streaming really streams: events arrive spread out, not in one block at the end. */
export function checkStreaming({ result, instantsMs }: SeenAnswer): Finding {
  if (result.whole) {
    return blocker(
      'not-streamed',
      'The server answers with one JSON body although a stream was asked for.',
      'Switch streaming on in the server or its proxy, or set target.stream to false (then there is no TTFT and no TPOT).',
    )
  }
  const reads = new Set(instantsMs).size
  if (instantsMs.length >= 4 && reads === 1) {
    return blocker(
      'stream-buffered',
      `The stream came in one block: ${instantsMs.length} events in a single read.`,
      'A proxy holds the stream back: switch its buffering off (nginx: proxy_buffering off), or test the server directly.',
    )
  }
  return passed('streaming', `The server streams: ${instantsMs.length} events in ${reads} reads.`)
}

/** Tokens are counted by the server itself. */
export function checkUsage({ result }: SeenAnswer): Finding {
  if (result.outputTokensSource === 'usage') {
    return passed(
      'usage-offered',
      `The server counts tokens: ${result.inputTokens} in, ${result.outputTokens} out.`,
    )
  }
  return warning(
    'usage-missing',
    'The server reports no token counts, so tokens per second and TPOT stay unknown.',
    'Use a server version that honours stream_options.include_usage, or name its tokenizer in target.tokenizeUrl.',
  )
}

/** More than this share off the asked length makes a step's lengths differ from the plan's. */
const LENGTH_TOLERANCE_FRACTION = 0.02

/** `ignore_eos` and `min_tokens` are requests, not facts. */
export function checkIgnoreEos({ result, outputTokensAsked }: SeenAnswer): Finding {
  const { outputTokens } = result
  if (outputTokens === null) {
    return warning(
      'ignore-eos-unknown',
      'Whether ignore_eos is honoured cannot be seen without token counts.',
      'Give the server a way to report usage, or expect answers shorter than asked.',
    )
  }
  const off = Math.abs(outputTokens - outputTokensAsked) / outputTokensAsked
  if (off <= LENGTH_TOLERANCE_FRACTION) {
    return passed(
      'ignore-eos-honoured',
      `Asked for ${outputTokensAsked} tokens, the server wrote ${outputTokens}.`,
    )
  }
  return warning(
    'ignore-eos-ignored',
    `Asked for ${outputTokensAsked} tokens with ignore_eos, the server wrote ${outputTokens}.`,
    'Expect answers of the model’s own lengths: set workload.outputTokens to what the model writes, or use a server that honours ignore_eos.',
  )
}

/** Fewer events than this share of the tokens: an event holds several, as with speculative decoding. */
const EVENTS_PER_TOKEN_MIN = 0.9

/** Do events hold several tokens? Then a gap between events is not a gap between tokens. */
export function bundlesTokens({ result }: SeenAnswer): boolean {
  const { outputTokens, contentEvents, whole } = result
  return !whole && outputTokens !== null && contentEvents < EVENTS_PER_TOKEN_MIN * outputTokens
}

/**
 * Does the server tell how many tokens an event holds? Asked only where it matters, because it makes events longer.
 *
 * @param told an answer that was asked for running totals with each event
 */
export function checkContinuousUsage({ result, tokensTold }: SeenAnswer): Finding {
  const tokensPerEvent = ((result.outputTokens ?? 0) / Math.max(1, result.contentEvents)).toFixed(1)
  if (result.outcome === 'ok' && result.contentEvents > 0 && tokensTold) {
    return passed(
      'tokens-per-event-told',
      `An event holds ${tokensPerEvent} tokens, and the server tells how many: gaps can be divided by them.`,
    )
  }
  return warning(
    'tokens-per-event-unknown',
    'Events hold several tokens, and the server does not tell how many: gaps stay gaps between events.',
    'Judge the pace by TPOT, or use a server that offers stream_options.continuous_usage_stats.',
  )
}

/** Share of a fresh prompt that may come from the cache: its chat template. */
const CACHED_FRACTION_MAX = 0.1

/**
 * Is there a prefix cache, and do our prompts get past it?
 *
 * @param fresh an answer to a prompt that was never sent before
 * @param repeated an answer to that same prompt again
 */
export function checkPrefixCache(fresh: ExchangeResult, repeated: ExchangeResult): Finding {
  const freshFraction = cachedFraction(fresh)
  const repeatedFraction = cachedFraction(repeated)
  if (freshFraction !== null && freshFraction > CACHED_FRACTION_MAX) {
    return blocker(
      'prefix-cache-not-isolated',
      `${Math.round(100 * freshFraction)} % of a new prompt came from the server’s prefix cache.`,
      'Shorten what all prompts share (system prompt, chat template), lengthen the prompts, or switch the prefix cache off.',
    )
  }
  if (repeatedFraction !== null && repeatedFraction > 0) {
    return passed('prefix-cache-seen', 'The server caches prefixes, and new prompts get past the cache.')
  }
  if (ttftMs(fresh) > 1.5 * ttftMs(repeated) && ttftMs(fresh) - ttftMs(repeated) > 20) {
    return passed(
      'prefix-cache-likely',
      'The same prompt was answered faster the second time: the server seems to cache prefixes.',
    )
  }
  return passed('prefix-cache-not-seen', 'No prefix cache was seen.')
}

function cachedFraction({ cachedInputTokens, inputTokens }: ExchangeResult): number | null {
  return cachedInputTokens === null || !inputTokens ? null : cachedInputTokens / inputTokens
}

/** From sending to the first content, ms; NaN when there was none, which compares as false. */
export function ttftMs({ firstContentAtMs, sentAtMs }: ExchangeResult): number {
  return firstContentAtMs === null || sentAtMs === null ? Number.NaN : firstContentAtMs - sentAtMs
}
