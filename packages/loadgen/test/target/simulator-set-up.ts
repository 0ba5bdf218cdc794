/** One simulator for a test file, and one request to it beside what the simulator itself recorded of it. */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { monotonicMs } from '@loadcurve/sim/engine/monotonic-clock'
import type { RequestRecord } from '@loadcurve/sim/http-server/request-log'
import { type RunningSimulator, startSimulator } from '@loadcurve/sim/http-server/server'
import { afterAll, beforeAll } from 'vitest'
import { openTarget } from '../../src/target/agent.ts'
import { exchange } from '../../src/target/exchange.ts'
import type { ExchangeRequest, ExchangeResult } from '../../src/target/result.ts'
import { REQUEST } from './exchange-set-up.ts'

/** Asked of every answer. */
export const TOKENS = 12
/** Of the simulator's fault `several-tokens`. */
export const TOKENS_PER_WIDE_EVENT = 4

let sim: RunningSimulator
beforeAll(async () => {
  // Without noise, so that TPOT is known; a step takes a little more than 8 ms.
  sim = await startSimulator({
    preset: 'small',
    law: { baseMs: 8, noise: { stepCv: 0, prefillCv: 0 }, hiccup: null },
  })
})
afterAll(() => sim.close())

export interface Asked {
  readonly result: ExchangeResult
  readonly record: RequestRecord
  readonly instantsMs: readonly number[]
  /** The longest that the event loop, which client and server share, was held up meanwhile. */
  readonly loopDelayMs: number
}

export async function ask(
  endpoint: 'chat' | 'completions',
  fault: string | null,
  change: Partial<ExchangeRequest> = {},
): Promise<Asked> {
  const target = openTarget({
    baseUrl: `${sim.url}/v1`,
    endpoint,
    apiKey: null,
    headers: { ...(fault === null ? {} : { 'x-sim-fault': fault }) },
    connections: 1,
    policy: parseTargetPolicy(''),
    deadlines: { firstByteMs: 600, betweenEventsMs: 300, lingerMs: 200 },
    nowMs: monotonicMs,
  })
  const instantsMs: number[] = []
  const words = 'tell me all that you know'
  const prompt: ExchangeRequest['prompt'] =
    endpoint === 'chat'
      ? { kind: 'messages', messages: [{ role: 'user', content: words }] }
      : { kind: 'texts', texts: [words] }
  const request = {
    ...REQUEST,
    model: sim.options.model,
    prompt,
    outputTokens: TOKENS,
    extraBody: { seed: 5 },
    ...change,
  }
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const result = await exchange(target, request, { onContentEvent: (atMs) => instantsMs.push(atMs) })
  delay.disable()
  await target.close()
  const record = sim.simulation.requests.between(0, Infinity).at(-1)
  if (record === undefined) throw new Error('the simulator saw no request')
  return { result, record, instantsMs, loopDelayMs: delay.max / 1e6 }
}
