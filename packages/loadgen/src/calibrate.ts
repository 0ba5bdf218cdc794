/**
 * Loop-back calibration: how late is this very process? It loads the metronome, whose answers are known because they
 * carry the instants of their own writing, through the same code that will load the target.
 *
 * It also warms the process up. The HTTP parser is WebAssembly that is compiled on first use, and the JIT is cold: the
 * first two seconds of a fresh client read 5 to 13 ms late where a warm one reads a quarter of a millisecond. So the
 * first rounds are thrown away.
 */

import type { CalibrationReadings } from '@loadcurve/core/metrics/sample'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import type { Clock } from './clock.ts'
import { openTarget, type Target } from './target/agent.ts'
import { exchange } from './target/exchange.ts'
import type { ExchangeRequest } from './target/result.ts'

/** One round of lockstep bursts. */
interface Round {
  readonly streams: number
  readonly events: number
  readonly everyMs: number
}

/** What one stream of a round showed, ms. */
interface StreamReadings {
  readonly lagsMs: readonly number[]
  readonly ttftBiasMs: number
}

const warmupRounds: readonly Omit<Round, 'streams'>[] = [
  { events: 50, everyMs: 5 },
  { events: 75, everyMs: 10 },
]
const measuredRound = { events: 40, everyMs: 20 }
// What is wanted is what this process is capable of. A pause of the machine spoils a round, so the best one counts;
// lateness during the step itself is the health monitor's business.
const measuredRoundsMax = 4
const goodLagP99Ms = 1
const streamsMax = 64
// Requests sent all at once would queue in the metronome, and the wait would be read as our own.
const spacingMs = 1

/**
 * Measures the lag of this process, and warms it up. Takes two seconds, or up to five on a machine that is not quiet.
 *
 * @param options.streams the requests that the step will keep in flight; at most 64 of them are tried
 * @returns quantiles of client stamp minus server write stamp, and the median of the excess of TTFT over the truth
 * @throws Error when the metronome does not answer as it should
 */
export async function calibrate(options: {
  readonly clock: Clock
  readonly streamPort: number
  readonly streams: number
}): Promise<CalibrationReadings> {
  const streams = Math.max(1, Math.min(options.streams, streamsMax))
  for (const round of warmupRounds) await playRound(options, { ...round, streams })
  let best = await measureRound(options, streams)
  for (let round = 1; round < measuredRoundsMax && best.lagP99Ms > goodLagP99Ms; round++) {
    const next = await measureRound(options, streams)
    if (next.lagP99Ms < best.lagP99Ms) best = next
  }
  return best
}

async function measureRound(
  options: Parameters<typeof playRound>[0],
  streams: number,
): Promise<CalibrationReadings> {
  const readings = await playRound(options, { ...measuredRound, streams })
  const lagsMs = readings.flatMap((stream) => stream.lagsMs).sort((a, b) => a - b)
  const biasesMs = readings.map((stream) => stream.ttftBiasMs).sort((a, b) => a - b)
  return {
    streams,
    events: lagsMs.length,
    lagP50Ms: nearestRank(lagsMs, 0.5),
    lagP95Ms: nearestRank(lagsMs, 0.95),
    lagP99Ms: nearestRank(lagsMs, 0.99),
    ttftBiasMs: nearestRank(biasesMs, 0.5),
  }
}

async function playRound(
  { clock, streamPort }: { readonly clock: Clock; readonly streamPort: number },
  { streams, events, everyMs }: Round,
): Promise<StreamReadings[]> {
  const target = openTarget({
    baseUrl: `http://127.0.0.1:${streamPort}/streams/${streams}/events/${events}/every/${everyMs}`,
    endpoint: 'chat',
    apiKey: null,
    headers: {},
    connections: streams,
    policy: parseTargetPolicy('loopback'),
    deadlines: { connectMs: 2000, firstByteMs: 5000, betweenEventsMs: 5000, totalMs: 10_000 },
    nowMs: () => clock.nowMs(),
  })
  try {
    const startAtMs = clock.nowMs()
    const readSpaced = async (index: number): Promise<StreamReadings> => {
      await clock.sleepUntilMs(startAtMs + index * spacingMs)
      return readStream(target)
    }
    return await Promise.all(Array.from({ length: streams }, (_, index) => readSpaced(index)))
  } finally {
    await target.close()
  }
}

async function readStream(target: Target): Promise<StreamReadings> {
  const stampsMs: number[] = []
  const result = await exchange(target, request, { onContentEvent: (atMs) => stampsMs.push(atMs) })
  if (result.outcome !== 'ok') {
    throw new Error(
      `calibration failed: ${result.outcome} ${result.errorCode ?? ''} ${result.errorText ?? ''}`,
    )
  }
  const pairs = result.text.split(';', stampsMs.length).map((pair) => pair.split(':', 2).map(Number))
  const lagsMs = stampsMs.map((atMs, index) => atMs - (pairs[index]?.[1] ?? Number.NaN))
  const [readAtMs = Number.NaN, writtenAtMs = Number.NaN] = pairs[0] ?? []
  const ttftMs = (result.firstContentAtMs ?? Number.NaN) - (result.sentAtMs ?? Number.NaN)
  return { lagsMs, ttftBiasMs: ttftMs - (writtenAtMs - readAtMs) }
}

const request: ExchangeRequest = {
  model: 'metronome',
  prompt: { kind: 'messages', messages: [{ role: 'user', content: 'beat' }] },
  outputTokens: 1,
  stream: true,
  ignoreEos: false,
  continuousUsage: false,
  n: 1,
  extraBody: {},
  expectJson: false,
  failOn: [],
  keepText: true,
}

function nearestRank(sorted: readonly number[], fraction: number): number {
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? Number.NaN
}
