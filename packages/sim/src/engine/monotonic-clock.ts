/**
 * Milliseconds of CLOCK_MONOTONIC. Unlike `performance.now()`, which counts from the start of its process, two
 * processes on one machine read the same value at the same instant, so stamps can be compared between them.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
