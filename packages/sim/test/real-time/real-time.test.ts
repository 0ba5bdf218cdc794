import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/engine/monotonic-clock.ts'
import type { Realised } from '../../src/http-server/realised.ts'
import { type ForkedSimulator, forkSimulator } from './forked-simulator.ts'
import { SocketStreams } from './socket-streams.ts'

const STEP_MS = 20
const WINDOW_MS = 1500
const ROUNDS_MAX = 2
/** A server whose steps leave later than this was kept from the processor, not slow: the round says nothing. */
const BUSY_LATENESS_P95_MS = STEP_MS / 4

/** Every step takes 20 ms, whatever it carries. */
const EVEN_LAW = {
  baseMs: STEP_MS,
  perSequenceMs: 0,
  prefill: { perPromptMs: 0, perTokenMs: 0, perTokenSquaredMs: 0 },
  maxNumSeqs: 1024,
  maxNumBatchedTokens: null,
  kv: null,
  noise: { stepCv: 0, prefillCv: 0 },
}

interface Round {
  readonly realised: Realised
  readonly cpuUsPerToken: number
  readonly conclusive: boolean
}

async function realisedOf(sim: ForkedSimulator, query: string): Promise<Realised & { nowMs: number }> {
  const response = await fetch(`${sim.url}/sim/realised?${query}`)
  if (!response.ok) throw new Error(`/sim/realised?${query}: ${response.status} ${await response.text()}`)
  return await response.json()
}

/** Streams for a while after a second's warm-up. */
async function round(sim: ForkedSimulator, streams: number): Promise<Round> {
  const tokens = Math.ceil((WINDOW_MS + 3000) / STEP_MS)
  const readers = new SocketStreams(sim, { count: streams, tokens })
  await passes(monotonicMs() + 1000)
  const before = await realisedOf(sim, '')
  await passes(before.nowMs + WINDOW_MS)
  const realised = await realisedOf(sim, `since=${before.nowMs}&until=${before.nowMs + WINDOW_MS}`)
  readers.close()
  const { latenessMs, tokens: sent } = realised.steps
  const conclusive = (latenessMs.p95 ?? Number.POSITIVE_INFINITY) < BUSY_LATENESS_P95_MS
  return { realised, cpuUsPerToken: (realised.cpuUs - before.cpuUs) / sent, conclusive }
}

/** A timer drops the fraction of a millisecond and counts from the turn's cached time: it may wake up too early. */
async function passes(untilMs: number): Promise<void> {
  for (let restMs = untilMs - monotonicMs(); restMs > 0; restMs = untilMs - monotonicMs())
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(restMs)))
}

test.each([200, 500])(
  'real time: %i streams in lockstep keep the mean step within a hundredth',
  async (streams) => {
    const sim = await forkSimulator({ preset: 'small', law: EVEN_LAW })
    try {
      let last = await round(sim, streams)
      for (let rounds = 1; !last.conclusive && rounds < ROUNDS_MAX; rounds++) last = await round(sim, streams)
      const { steps } = last.realised
      const figures =
        `${streams} streams at ${STEP_MS} ms: mean step ${steps.realMeanMs?.toFixed(3)} ms, lateness p95 ` +
        `${steps.latenessMs.p95?.toFixed(2)} ms, first to last token of a step p95 ${steps.handingMs.p95?.toFixed(2)} ms, ` +
        `${last.cpuUsPerToken.toFixed(1)} us of CPU per token`
      console.log(last.conclusive ? figures : `inconclusive, the machine was busy: ${figures}`)
      // The schedule is absolute: whatever a busy machine does, only the lateness of the first and last step is left.
      const leftMs = (steps.latenessMs.max ?? 0) / (steps.steps - 1)
      expect(Math.abs((steps.realMeanMs ?? 0) - STEP_MS)).toBeLessThanOrEqual(leftMs)
      if (!last.conclusive) return
      expect(steps.tokens / steps.steps).toBe(streams)
      expect(Math.abs((steps.realMeanMs ?? 0) / STEP_MS - 1)).toBeLessThan(0.01)
    } finally {
      await sim.stop()
    }
  },
)

test('stamps: each event carries the instant of its write, on a clock that another process can read', async () => {
  const sim = await forkSimulator({ preset: 'small' })
  try {
    const sentMs = monotonicMs()
    const response = await fetch(`${sim.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-sim-stamp': '1' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: 'Hi.' }],
        max_tokens: 10,
        ignore_eos: true,
        stream: true,
      }),
    })
    const text = await response.text()
    const receivedMs = monotonicMs()
    const stamps = [...text.matchAll(/"sim":\{"writtenAtMs":([\d.]+)\}/g)].map(([, stamp]) => Number(stamp))
    expect(stamps).toHaveLength(11)
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b))
    expect(stamps[0]).toBeGreaterThan(sentMs)
    expect(stamps.at(-1)).toBeLessThan(receivedMs)
    // Nine decode steps of 12.7 ms lie between the first token and the last; noise is 1 %, lateness moves both ends.
    const realised = await realisedOf(sim, `since=${sentMs}`)
    const lateMs = (realised.steps.latenessMs.max ?? 0) + 1
    expect(Math.abs((stamps.at(-1) ?? 0) - (stamps[1] ?? 0) - 9 * 12.7)).toBeLessThan(
      lateMs + 0.05 * 9 * 12.7,
    )
  } finally {
    await sim.stop()
  }
})
