import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { Sequence } from '../../src/engine/sequence.ts'
import type { ServerLaw } from '../../src/model/law.ts'

const PLAIN_LAW: ServerLaw = {
  baseMs: 10,
  perSequenceMs: 1,
  perContextTokenMs: 0,
  experts: null,
  capturedBatches: [],
  prefill: { perPromptMs: 5, perTokenMs: 0.1, perTokenSquaredMs: 0 },
  maxNumSeqs: 4,
  maxNumBatchedTokens: null,
  kv: null,
  prefixCache: false,
  noise: { stepCv: 0, prefillCv: 0 },
  hiccup: null,
}

/** Runs the engine until nothing is left; gives every emission as [instant, id]. */
function drain(engine: Engine, startMs = 0): { emissions: [number, number][]; endMs: number } {
  const emissions: [number, number][] = []
  let nowMs = startMs
  for (;;) {
    const durationMs = engine.beginStep(nowMs)
    if (durationMs === null) return { emissions, endMs: nowMs }
    nowMs += durationMs
    engine.endStep(nowMs, ({ id }) => emissions.push([nowMs, id]))
  }
}

test('engine: one sequence takes its prefill step and then one step per token', () => {
  const engine = new Engine(PLAIN_LAW, 1)
  engine.submit({ inputTokens: 100, outputTokens: 3, arrivedAtMs: 0 })
  // Prefill step: a + p0 + 100 * p1 = 10 + 5 + 10. Decode steps: a + c = 11.
  expect(drain(engine).emissions).toEqual([
    [25, 0],
    [36, 0],
    [47, 0],
  ])
})

test('engine: a prompt beyond the token budget is prefilled in chunks beside decoding sequences', () => {
  const engine = new Engine({ ...PLAIN_LAW, maxNumBatchedTokens: 50 }, 1)
  engine.submit({ inputTokens: 100, outputTokens: 1, arrivedAtMs: 0 })
  // 50 + 50 tokens: (10 + 5 + 5) + (10 + 5); the prompt's p0 is paid once.
  expect(drain(engine).emissions).toEqual([[35, 0]])
})

test('engine: a request that arrives during a step waits for the next one', () => {
  const engine = new Engine(PLAIN_LAW, 1)
  engine.submit({ inputTokens: 10, outputTokens: 2, arrivedAtMs: 0 })
  engine.beginStep(0)
  engine.submit({ inputTokens: 10, outputTokens: 1, arrivedAtMs: 3 })
  const emitted: Sequence[] = []
  engine.endStep(16, (sequence) => emitted.push(sequence))
  expect(emitted.map(({ id }) => id)).toEqual([0])
  // One decode (a + c = 11) and one prefill (5 + 1) share the second step.
  expect(engine.beginStep(16)).toBeCloseTo(17, 12)
})

test('engine: decode steps are padded to the captured batch sizes', () => {
  const engine = new Engine({ ...PLAIN_LAW, capturedBatches: [1, 4], prefill: noPrefill() }, 1)
  for (let index = 0; index < 2; index++) engine.submit({ inputTokens: 1, outputTokens: 2, arrivedAtMs: 0 })
  const { emissions } = drain(engine)
  // A batch of two runs as one of four: 10 + 4.
  expect(emissions.at(-1)?.[0]).toBe(10 + 14)
})

test('engine: a hiccup lengthens the step under way at its instant, and no other', () => {
  const engine = new Engine({ ...PLAIN_LAW, hiccup: { everyMs: 30, pauseMs: 100 } }, 1)
  engine.submit({ inputTokens: 100, outputTokens: 3, arrivedAtMs: 0 })
  expect(drain(engine).emissions.map(([atMs]) => atMs)).toEqual([25, 136, 147])
})

test('engine: the prefix cache spares the shared blocks, never the last prompt token', () => {
  const law = { ...PLAIN_LAW, prefixCache: true, prefill: { ...noPrefill(), perTokenMs: 1 } }
  const engine = new Engine(law, 1)
  const request = { inputTokens: 32, outputTokens: 1, arrivedAtMs: 0, prefixHashes: [7, 8] }
  engine.submit(request)
  const cold = drain(engine).endMs
  engine.submit({ ...request, arrivedAtMs: cold })
  expect(cold).toBe(10 + 32)
  expect(drain(engine, cold).endMs - cold).toBe(10 + 1)
  expect(engine.counters.prefixHitTokens).toBe(31)
})

test('engine: without free blocks the youngest sequence is preempted and recomputes all it had', () => {
  const law = { ...PLAIN_LAW, kv: { blocks: 4, blockTokens: 4 }, prefill: noPrefill() }
  const engine = new Engine(law, 1)
  const older = engine.submit({ inputTokens: 7, outputTokens: 6, arrivedAtMs: 0 })
  const younger = engine.submit({ inputTokens: 7, outputTokens: 6, arrivedAtMs: 0 })
  const { emissions } = drain(engine)
  expect(older.preemptions).toBe(0)
  expect(younger.preemptions).toBe(1)
  expect(emissions.filter(([, id]) => id === younger.id)).toHaveLength(6)
})

test('engine: a sequence that can never fit the KV cache is refused by name', () => {
  const engine = new Engine({ ...PLAIN_LAW, kv: { blocks: 2, blockTokens: 4 } }, 1)
  expect(() => engine.submit({ inputTokens: 8, outputTokens: 2, arrivedAtMs: 0 })).toThrow(
    '8 + 2 tokens exceed the KV cache',
  )
  expect(engine.fits({ inputTokens: 8, outputTokens: 1 })).toBe(true)
})

const lawArbitrary = fc.record({
  maxNumSeqs: fc.integer({ min: 1, max: 8 }),
  budget: fc.option(fc.integer({ min: 8, max: 64 })),
  blocks: fc.option(fc.integer({ min: 12, max: 40 })),
  prefixCache: fc.boolean(),
})
const requestArbitrary = fc.record({
  inputTokens: fc.integer({ min: 1, max: 24 }),
  outputTokens: fc.integer({ min: 1, max: 24 }),
  gapMs: fc.integer({ min: 0, max: 60 }),
  cancelAfterTokens: fc.option(fc.integer({ min: 0, max: 8 })),
})

test('engine: whatever arrives, every request ends once with all its tokens, within cap, budget and blocks', () => {
  fc.assert(
    fc.property(lawArbitrary, fc.array(requestArbitrary, { maxLength: 40 }), (wanted, requests) => {
      const law: ServerLaw = {
        ...PLAIN_LAW,
        maxNumSeqs: wanted.maxNumSeqs,
        maxNumBatchedTokens: wanted.budget,
        kv: wanted.blocks === null ? null : { blocks: wanted.blocks, blockTokens: 4 },
        prefixCache: wanted.prefixCache,
      }
      const { ends, sequences } = runAll(law, requests)
      for (const [index, sequence] of sequences.entries()) {
        const cancelled = sequence.state === 'cancelled'
        expect(ends[index]).toBe(cancelled ? 0 : 1)
        expect(sequence.heldBlocks).toBe(0)
        if (!cancelled) expect(sequence.producedTokens).toBe(sequence.outputTokens)
      }
    }),
    { numRuns: 300, seed: 1 },
  )
})

interface Wanted {
  inputTokens: number
  outputTokens: number
  gapMs: number
  cancelAfterTokens: number | null
}

/** Plays the requests and checks the limits at every step. */
function runAll(law: ServerLaw, requests: Wanted[]): { ends: number[]; sequences: Sequence[] } {
  const engine = new Engine(law, 1)
  const sequences: Sequence[] = []
  const ends = requests.map(() => 0)
  let arrivesAtMs = 0
  for (const { inputTokens, outputTokens, gapMs } of requests) {
    arrivesAtMs += gapMs
    sequences.push(
      engine.submit({ inputTokens, outputTokens, arrivedAtMs: arrivesAtMs, prefixHashes: [inputTokens] }),
    )
  }
  let nowMs = 0
  let generated = 0
  while (engine.runningCount + engine.waitingCount > 0) {
    const durationMs = engine.beginStep(nowMs)
    if (durationMs === null) {
      const nextMs = engine.firstWaitingSinceMs as number
      // An idle engine may only wait for the future; anything else is a deadlock.
      expect(nextMs).toBeGreaterThan(nowMs)
      nowMs = nextMs
      continue
    }
    checkLimits(engine, law)
    nowMs += durationMs
    engine.endStep(nowMs, (sequence) => {
      generated++
      if (sequence.state === 'finished') ends[sequence.id] = (ends[sequence.id] ?? 0) + 1
      else if (sequence.producedTokens === requests[sequence.id]?.cancelAfterTokens) engine.cancel(sequence)
    })
  }
  expect(engine.counters.generatedTokens).toBe(generated)
  expect(engine.kvUsageFraction).toBe(0)
  return { ends, sequences }
}

function checkLimits(engine: Engine, law: ServerLaw): void {
  const step = engine.currentStep
  expect(step).not.toBeNull()
  if (step === null) return
  expect(step.running).toBeLessThanOrEqual(law.maxNumSeqs)
  expect(step.decodeBatch).toBeLessThanOrEqual(step.running)
  expect(step.decodeBatch + step.prefillTokens).toBeLessThanOrEqual(
    law.maxNumBatchedTokens ?? Number.POSITIVE_INFINITY,
  )
  expect(step.decodeBatch + step.prefillTokens).toBeGreaterThan(0)
  expect(engine.kvUsageFraction).toBeGreaterThanOrEqual(0)
  expect(engine.kvUsageFraction).toBeLessThanOrEqual(1)
}

function noPrefill(): ServerLaw['prefill'] {
  return { perPromptMs: 0, perTokenMs: 0, perTokenSquaredMs: 0 }
}
