// Quantiles of client stamp minus server write stamp, and how late the server itself was.

export function quantile(values, fraction) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)]
}

export function quantiles(values) {
  return { p50: quantile(values, 0.5), p95: quantile(values, 0.95), p99: quantile(values, 0.99) }
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Lags of one round, without its first events (connecting, warming up).
 *
 * @param streams for each stream its events: receive instant and write instant
 */
export function roundOf(streams, { everyMs, skip }) {
  const lagsMs = streams.flatMap((events) =>
    events.slice(skip).map(({ atMs, writtenAtMs }) => atMs - writtenAtMs),
  )
  return { ...quantiles(lagsMs), n: lagsMs.length, serverLateMs: serverLateness(streams, { everyMs, skip }) }
}

// A burst is due one interval after the last one; the earliest burst (relative to that) says what punctual means.
function serverLateness(streams, { everyMs, skip }) {
  const bursts = streams[0].length
  const firsts = []
  for (let burst = skip; burst < bursts; burst++) {
    firsts.push(Math.min(...streams.map((events) => events[burst].writtenAtMs)) - burst * everyMs)
  }
  const punctual = Math.min(...firsts)
  return quantile(
    firsts.map((first) => first - punctual),
    0.95,
  )
}
