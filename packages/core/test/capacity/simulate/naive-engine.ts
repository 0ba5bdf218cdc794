/** An engine that takes every step singly, written without a thought for speed: the oracle of the one that skips. */
import type { EngineModel } from '@loadcurve/core/capacity/simulate/engine-model'

export interface NaiveRequest {
  readonly atMs: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export function naiveEngine(
  engine: EngineModel,
  requests: readonly NaiveRequest[],
): { readonly firstAtMs: number[]; readonly endedAtMs: number[] } {
  const firstAtMs = requests.map(() => Number.NaN)
  const endedAtMs = requests.map(() => Number.NaN)
  const tokensLeft = requests.map((request) => request.outputTokens)
  const promptLeft = requests.map((request) => request.inputTokens)
  const held = new Set<number>()
  const done = new Set<number>()
  let nowMs = 0
  while (done.size < requests.length) {
    const decoding = [...held].filter((index) => promptLeft[index] === 0)
    let budget = (engine.stepTokens ?? 0) - decoding.length
    let workMs = 0
    const first: number[] = []
    const order = requests
      .map((_, index) => index)
      .filter((index) => !done.has(index) && (promptLeft[index] ?? 0) > 0)
    for (const index of order) {
      const request = requests[index] as NaiveRequest
      if (budget <= 0 || request.atMs > nowMs) break
      if (!held.has(index) && held.size >= engine.slots) break
      held.add(index)
      const take = Math.min(promptLeft[index] ?? 0, budget)
      promptLeft[index] = (promptLeft[index] ?? 0) - take
      budget -= take
      workMs += (engine.prefillWorkMs(request.inputTokens) * take) / request.inputTokens
      if (promptLeft[index] === 0) first.push(index)
    }
    if (held.size === 0) {
      nowMs = Math.min(...order.map((index) => requests[index]?.atMs ?? Infinity))
      continue
    }
    nowMs += (engine.decodeMs[decoding.length] ?? 0) + workMs
    for (const index of first) firstAtMs[index] = nowMs
    for (const index of [...decoding, ...first]) {
      tokensLeft[index] = (tokensLeft[index] ?? 0) - 1
      if (tokensLeft[index] !== 0) continue
      endedAtMs[index] = nowMs
      held.delete(index)
      done.add(index)
    }
  }
  return { firstAtMs, endedAtMs }
}
