/**
 * Gaps between content events, as a histogram: a step can have millions of them, and the histograms of shards must
 * merge into exactly the histogram of the whole step. HdrHistogram keeps every value to 1 part in 1000 at any size
 * and travels as the compressed base64 text that its other implementations read.
 *
 * It counts whole microseconds and would cut fractions off, so values are rounded first: milliseconds as such would
 * lose everything below one.
 */
import * as hdr from 'hdr-histogram-js'

/** A minute between two tokens is far beyond every SLO; the histogram grows when it must. */
const initialMaxUs = 60_000_000

export interface GapHistogram {
  /** @param gapMs at least 0; already divided by the tokens of the event where the server tells them */
  record(gapMs: number): void
  /** The compressed base64 text that `ShardRecord.gapHistogram` holds. */
  encode(): string
}

export interface GapStatistics {
  readonly count: number
  /** Null when there is no gap. */
  readonly meanMs: number | null
  /** @param percentile in (0, 100] @returns ms, null when there is no gap */
  percentileMs(percentile: number): number | null
  /** Gaps longer than the limit, to the histogram's resolution (1 part in 1000). */
  countOver(limitMs: number): number
}

export function createGapHistogram(): GapHistogram {
  const histogram = emptyHistogram()
  return {
    record: (gapMs) => {
      if (!(gapMs >= 0)) throw new RangeError(`gapMs must be at least 0, got ${gapMs}`)
      histogram.recordValue(Math.round(gapMs * 1000))
    },
    encode: () => hdr.encodeIntoCompressedBase64(histogram),
  }
}

/**
 * The statistics of several shards' histograms together.
 *
 * @throws RangeError when a text is not an encoded histogram
 */
export function mergedGapStatistics(encoded: readonly string[]): GapStatistics {
  const merged = emptyHistogram()
  for (const text of encoded) merged.add(decoded(text))
  const count = merged.totalCount
  return {
    count,
    meanMs: count === 0 ? null : merged.mean / 1000,
    percentileMs: (percentile) => (count === 0 ? null : merged.getValueAtPercentile(percentile) / 1000),
    countOver: (limitMs) => countOver(merged, limitMs * 1000),
  }
}

function countOver(histogram: hdr.Histogram, limitUs: number): number {
  const buckets = histogram as hdr.Histogram & HistogramBuckets
  let over = 0
  for (
    let valueUs = buckets.nextNonEquivalentValue(Math.floor(limitUs));
    valueUs <= histogram.maxValue;
    valueUs = buckets.nextNonEquivalentValue(valueUs)
  ) {
    over += buckets.getCountAtIndex(buckets.countsArrayIndex(valueUs))
  }
  return over
}

/** What the JavaScript histograms offer beyond the interface that they share with the WebAssembly ones. */
interface HistogramBuckets {
  nextNonEquivalentValue(value: number): number
  countsArrayIndex(value: number): number
  getCountAtIndex(index: number): number
}

function emptyHistogram(): hdr.Histogram {
  return hdr.build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: initialMaxUs,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 64,
    autoResize: true,
  })
}

function decoded(text: string): hdr.Histogram {
  try {
    return hdr.decodeFromCompressedBase64(text, 64)
  } catch (cause) {
    throw new RangeError(`not an encoded gap histogram: ${text.slice(0, 40)}`, { cause })
  }
}
