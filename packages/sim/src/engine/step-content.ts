/** What one engine step contained. */
export interface StepContent {
  readonly startedAtMs: number
  readonly durationMs: number
  readonly decodeBatch: number
  readonly prefillTokens: number
  /** Sequences that held a slot. */
  readonly running: number
}

/** Totals since the engine was made. */
export interface EngineCounters {
  steps: number
  preemptions: number
  promptTokens: number
  generatedTokens: number
  prefixQueriedTokens: number
  prefixHitTokens: number
}

export function zeroCounters(): EngineCounters {
  return {
    steps: 0,
    preemptions: 0,
    promptTokens: 0,
    generatedTokens: 0,
    prefixQueriedTokens: 0,
    prefixHitTokens: 0,
  }
}
