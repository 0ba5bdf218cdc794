/** What `probe --json` prints when nothing could be measured: the same shape, everything unknown, and the reason. */
import type { ProbeReport } from '@loadcurve/core/metrics/probe-report'
import type { ProbeOptions } from './probe-options.ts'

export interface ProbeError {
  readonly code: string
  readonly message: string
  readonly whatToDo: string | null
}

type Unknown<T> = { readonly [Key in keyof T]: null }

export type NothingMeasured = Unknown<Omit<ProbeReport, 'schemaVersion' | 'requests' | 'concurrency'>> & {
  readonly schemaVersion: 1
  readonly requests: { readonly scheduled: 0; readonly ok: 0; readonly failed: 0; readonly byOutcome: object }
  readonly concurrency: ProbeReport['concurrency']
  readonly error: ProbeError
}

export function nothingMeasured({ concurrency }: ProbeOptions, error: ProbeError): NothingMeasured {
  return {
    schemaVersion: 1,
    requests: { scheduled: 0, ok: 0, failed: 0, byOutcome: {} },
    windowS: null,
    concurrency: { nominal: concurrency, achieved: null, decodeBatch: null },
    requestsPerS: null,
    outputTokensPerS: null,
    inputTokensPerS: null,
    outputTokensSource: null,
    ttftMs: null,
    ttftScheduledMs: null,
    tpotMs: null,
    gapMs: null,
    e2eMs: null,
    firstVisibleTokenMs: null,
    validJsonMs: null,
    serverQueueMs: null,
    goodput: null,
    littlesLaw: null,
    fingerprint: null,
    generator: null,
    errors: null,
    refusals: null,
    caveats: null,
    error,
  }
}
