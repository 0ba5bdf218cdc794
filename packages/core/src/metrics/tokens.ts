/**
 * Tokens of a step: how many arrived inside the window, and whether lengths are what was asked for. Counts are the
 * server's or a tokenizer's; where one is unknown, so is everything that rests on it.
 */
import { isOk } from './request.ts'
import type { Sample, ShardRecord, TokenSource } from './sample.ts'
import type { LengthControl } from './step-summary.ts'

/**
 * Output tokens whose event arrived inside the window, over all samples, whenever they started: the tokens of a
 * request times the share of its content events that arrived inside. Null when a successful one has no count; a failed
 * one without a count brings none.
 */
export function outputTokensInWindow(shards: readonly ShardRecord[]): number | null {
  let tokens = 0
  for (const shard of shards) {
    for (const sample of shard.samples) {
      if (sample.contentEventsInWindow === 0) continue
      if (sample.outputTokens !== null)
        tokens += (sample.outputTokens * sample.contentEventsInWindow) / sample.contentEvents
      else if (isOk(sample)) return null
    }
  }
  return tokens
}

/** Output tokens of everything that was sent, with the time from the first send to the last end, s. */
export function wholeRunTokens(shards: readonly ShardRecord[]): number | null {
  let tokens = 0
  for (const shard of shards) {
    for (const sample of shard.samples) {
      if (sample.outputTokens !== null) tokens += sample.outputTokens
      else if (isOk(sample)) return null
    }
  }
  return tokens
}

/** Output lengths of the successful requests among `samples`, beside those asked for. */
export function outputLengths(samples: readonly Sample[]): LengthControl {
  return lengthControl(samples, OUTPUT)
}

/** Input lengths of the successful requests among `samples`, beside those asked for. */
export function inputLengths(samples: readonly Sample[]): LengthControl {
  return lengthControl(samples, INPUT)
}

/** Cached over all input tokens, by the server's usage; null when it does not tell. */
export function cachedFraction(samples: readonly Sample[]): number | null {
  let [cached, input] = [0, 0]
  for (const sample of samples) {
    if (!isOk(sample) || sample.cachedInputTokens === null || sample.inputTokens === null) continue
    cached += sample.cachedInputTokens
    input += sample.inputTokens
  }
  return input === 0 ? null : cached / input
}

/** Mean reasoning tokens of successful requests that tell; null when none does. */
export function reasoningMean(samples: readonly Sample[]): number | null {
  let [sum, count] = [0, 0]
  for (const sample of samples) {
    if (!isOk(sample) || sample.reasoningTokens === null) continue
    sum += sample.reasoningTokens
    count++
  }
  return count === 0 ? null : sum / count
}

interface LengthFields {
  readonly asked: (sample: Sample) => number
  readonly achieved: (sample: Sample) => number | null
  readonly source: (sample: Sample) => TokenSource
}

const OUTPUT: LengthFields = {
  asked: (sample) => sample.outputTokensAsked,
  achieved: (sample) => sample.outputTokens,
  source: (sample) => sample.outputTokensSource,
}
const INPUT: LengthFields = {
  asked: (sample) => sample.inputTokensAsked,
  achieved: (sample) => sample.inputTokens,
  source: (sample) => sample.inputTokensSource,
}

function lengthControl(samples: readonly Sample[], fields: LengthFields): LengthControl {
  let [asked, achieved, count, isKnown] = [0, 0, 0, true]
  let source: TokenSource | 'mixed' | null = null
  for (const sample of samples) {
    if (!isOk(sample)) continue
    count++
    asked += fields.asked(sample)
    const tokens = fields.achieved(sample)
    if (tokens === null) isKnown = false
    else achieved += tokens
    const own = fields.source(sample)
    source = source === null || source === own ? own : 'mixed'
  }
  if (count === 0) return { asked: null, achieved: null, differenceFraction: null, source: 'unknown' }
  const differenceFraction = isKnown && asked > 0 ? achieved / asked - 1 : null
  return {
    asked: asked / count,
    achieved: isKnown ? achieved / count : null,
    differenceFraction,
    source: source ?? 'unknown',
  }
}
