/**
 * The gaps between tokens, as a simulation makes them: kinds of engine steps in the order in which they came, each with
 * its duration and the number of gaps that were as long.
 */

export interface GapLog {
  /** Duration of one such step, ms. */
  readonly ms: number[]
  /** Gaps that it made: steps × sequences in decode. */
  readonly gaps: number[]
  /** Sequences in decode. */
  readonly batch: number[]
}

/** Which entries of a log: [from, to). */
export interface GapRange {
  readonly from: number
  readonly to: number
}

export function emptyGapLog(): GapLog {
  return { ms: [], gaps: [], batch: [] }
}

/** Percentile (nearest rank) or mean over all gaps of a range, ms; null when it has none. */
export function gapFigure(
  log: GapLog,
  percentile: number | 'mean',
  { from, to }: GapRange = { from: 0, to: log.ms.length },
): number | null {
  const gaps = log.gaps.slice(from, to)
  const ms = log.ms.slice(from, to)
  const total = gaps.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  if (percentile === 'mean') return ms.reduce((sum, each, at) => sum + each * (gaps[at] ?? 0), 0) / total
  const order = Array.from(ms.keys()).sort((left, right) => (ms[left] ?? 0) - (ms[right] ?? 0))
  let below = 0
  for (const at of order) {
    below += gaps[at] ?? 0
    if (below >= (total * percentile) / 100) return ms[at] ?? null
  }
  return ms[order.at(-1) ?? 0] ?? null
}

/** The figure of each of so many consecutive parts of the simulation, as logarithms; parts without gaps are left out. */
export function gapLogs(log: GapLog, percentile: number | 'mean', parts: number): Float64Array {
  const size = Math.max(1, Math.floor(log.ms.length / parts))
  const count = Math.floor(log.ms.length / size)
  return Float64Array.from(
    Array.from({ length: count }, (_, part) => ({ from: part * size, to: (part + 1) * size })).flatMap(
      (range) => {
        const ms = gapFigure(log, percentile, range)
        return ms === null ? [] : [Math.log(ms)]
      },
    ),
  )
}

/** Share of all gaps that were made with at least so many sequences in decode. */
export function gapShareAtBatch(log: GapLog, batch: number): number {
  const total = log.gaps.reduce((sum, count) => sum + count, 0)
  const full = log.gaps.reduce((sum, count, at) => sum + ((log.batch[at] ?? 0) >= batch ? count : 0), 0)
  return full / Math.max(1, total)
}
