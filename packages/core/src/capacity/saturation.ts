/**
 * Names what a saturated sweep ran into. The client alone sees that the decode batch stops growing, not why: slots,
 * KV memory and prefill all look like a plateau. Slots or KV are named only when the server's own metrics say so;
 * prefill only when prefill work alone fills the server's time.
 */
import type { CurveFit, CurveLevel } from '../fit/curve.ts'
import type { Saturation } from './recommendation.ts'

/** The saturation of a fitted curve, or null when none was observed. */
export function saturationOf(curve: CurveFit): Saturation | null {
  const decodeBatch = curve.fitted?.law.saturationBatch ?? null
  if (decodeBatch === null) return null
  const past = curve.levels.filter(
    ({ reading, excluded }) => excluded === null && (reading.decodeBatch ?? 0) >= 0.9 * decodeBatch,
  )
  const named = fromServer(past)
  if (named !== null) return { decodeBatch, bottleneck: named, evidence: 'server-metrics' }
  return {
    decodeBatch,
    bottleneck: prefillFills(curve, past) ? 'prefill' : 'unknown',
    evidence: 'client-only',
  }
}

const KV_FULL_FRACTION = 0.95
const PREFILL_FULL_FRACTION = 0.85

function fromServer(past: readonly CurveLevel[]): 'slots' | 'kv' | null {
  const servers = past.flatMap(({ reading }) => reading.level.server ?? [])
  const waiting = servers.filter((server) => (server.waiting ?? 0) >= 1)
  if (waiting.length === 0) return null
  const kvFull = waiting.filter(
    (server) => (server.kvUsageFraction ?? 0) >= KV_FULL_FRACTION || (server.preemptions ?? 0) > 0,
  )
  // Requests wait: either the cache is full, or there is cache and no slot.
  if (kvFull.length * 2 > waiting.length) return 'kv'
  return waiting.every((server) => server.kvUsageFraction !== null) ? 'slots' : null
}

// X·P is the share of the time that the server spends on prompts when each takes P undisturbed.
function prefillFills(curve: CurveFit, past: readonly CurveLevel[]): boolean {
  const { fitted } = curve
  if (fitted === null || fitted.inputTokens === null) return false
  const { p0, p1, p2 } = fitted.law.prefillMs
  const prefillMs = p0 + p1 * fitted.inputTokens + p2 * fitted.inputTokens ** 2
  const busiest = Math.max(0, ...past.map(({ reading }) => reading.requestsPerS ?? 0))
  return (busiest * prefillMs) / 1000 >= PREFILL_FULL_FRACTION
}
