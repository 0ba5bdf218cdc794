/**
 * Turns exchanges into samples and counts, as they happen. Content events are counted one by one while they are
 * parsed, so that nothing is left to do for a whole cohort when its requests end together: a pause then would make
 * the next request's stamp late.
 *
 * Whether an event lies in the window is decided when it is parsed, which is after it was received; the window is
 * final for every instant that has passed, so the count is exact.
 */
import { createGapHistogram } from '@loadcurve/core/metrics/gap-histogram'
import { tpotMs } from '@loadcurve/core/metrics/request'
import type { Sample } from '@loadcurve/core/metrics/sample'
import type { Dispatch } from './executors/closed-loop.ts'
import { LagHistogram } from './lag-histogram.ts'
import { RecentValues } from './recent-values.ts'
import type { StepWindow } from './step-window.ts'
import type { ExchangeResult } from './target/result.ts'

/** What was asked for in one request. */
export interface Asked {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly sequences: number
}

const binMs = 100

export class Recorder {
  readonly #window: StepWindow
  readonly #skewFrom: 'scheduled' | 'dispatched'
  readonly #gaps = createGapHistogram()
  readonly #skew = new LagHistogram()
  readonly #bins: number[] = []
  readonly #recentTtftMs = new RecentValues()
  readonly #recentTpotMs = new RecentValues()
  #samples: Sample[] = []
  #untoldEvents = 0
  #toldEvents = 0
  #contentEvents = 0
  #contentEventsInWindow = 0

  /** @param skewFrom what the generator's own delay is counted from: open loop `scheduled`, closed loop `dispatched` */
  constructor(window: StepWindow, skewFrom: 'scheduled' | 'dispatched') {
    this.#window = window
    this.#skewFrom = skewFrom
  }

  /** Content events so far, of all requests. */
  get contentEvents(): number {
    return this.#contentEvents
  }

  get contentEventsInWindow(): number {
    return this.#contentEventsInWindow
  }

  get skewP99Ms(): number {
    return this.#skew.percentileMs(99) ?? 0
  }

  /** Every gap so far could be divided by the tokens of its event. */
  get gapsAreTokenGaps(): boolean {
    return this.#toldEvents > 0 && this.#untoldEvents === 0
  }

  /** Follows one request from its dispatch. */
  follow(dispatch: Dispatch, asked: Asked, dispatchedAtMs: number): RequestRecord {
    return new RequestRecord(this, { dispatch, asked, dispatchedAtMs })
  }

  /** An arrival that found no place. */
  dropped(dispatch: Dispatch, asked: Asked): void {
    this.#samples.push(droppedSample(dispatch, asked))
  }

  /** The samples since the last call, in the order in which they ended. */
  takeSamples(): Sample[] {
    const samples = this.#samples
    this.#samples = []
    return samples
  }

  /** Median TTFT of the requests that ended most recently, null while there is none. */
  recentTtftP50Ms(): number | null {
    return this.#recentTtftMs.median()
  }

  /** The same of TPOT. */
  recentTpotP50Ms(): number | null {
    return this.#recentTpotMs.median()
  }

  gapHistogram(): string {
    return this.#gaps.encode()
  }

  /** Whole bins only: the rest of the window would read as a drop. */
  contentEventBins(windowMs: number): { readonly binMs: number; readonly counts: readonly number[] } {
    const length = Math.floor(windowMs / binMs)
    return { binMs, counts: Array.from({ length }, (_, bin) => this.#bins[bin] ?? 0) }
  }

  /** @returns whether the event lies in the window */
  onContentEvent(atMs: number): boolean {
    this.#contentEvents++
    if (this.#window.phaseAt(atMs) !== 'window') return false
    this.#contentEventsInWindow++
    const bin = Math.floor((atMs - this.#window.openAtMs) / binMs)
    this.#bins[bin] = (this.#bins[bin] ?? 0) + 1
    return true
  }

  onGap(gapMs: number, tokens: number | null): void {
    if (tokens === null) this.#untoldEvents++
    else this.#toldEvents++
    this.#gaps.record(gapMs / Math.max(1, tokens ?? 1))
  }

  onEnded(sample: Sample): void {
    this.#samples.push(sample)
    const { sentAtMs, firstContentAtMs, dispatchedAtMs, scheduledAtMs } = sample
    if (sentAtMs === null) return
    const plannedAtMs = this.#skewFrom === 'scheduled' ? scheduledAtMs : (dispatchedAtMs ?? scheduledAtMs)
    if (sample.phase === 'window') this.#skew.record(Math.max(0, sentAtMs - plannedAtMs))
    if (firstContentAtMs === null) return
    this.#recentTtftMs.record(firstContentAtMs - sentAtMs)
    const paceMs = sample.outcome === 'ok' ? tpotMs(sample) : null
    if (paceMs !== null) this.#recentTpotMs.record(paceMs)
  }
}

/** One request that is being followed. */
export class RequestRecord {
  readonly #recorder: Recorder
  readonly #start: { readonly dispatch: Dispatch; readonly asked: Asked; readonly dispatchedAtMs: number }
  #lastEventAtMs: number | null = null
  #eventsInWindow = 0

  constructor(recorder: Recorder, start: RequestRecord['start']) {
    this.#recorder = recorder
    this.#start = start
  }

  get start(): { readonly dispatch: Dispatch; readonly asked: Asked; readonly dispatchedAtMs: number } {
    return this.#start
  }

  readonly onContentEvent = (atMs: number, tokens: number | null): void => {
    if (this.#recorder.onContentEvent(atMs)) this.#eventsInWindow++
    if (this.#lastEventAtMs !== null && this.#start.dispatch.phase === 'window') {
      this.#recorder.onGap(atMs - this.#lastEventAtMs, tokens)
    }
    this.#lastEventAtMs = atMs
  }

  /** @param isOverdue it was cut because the drain limit was reached: that is a timeout, not a cancellation */
  ended(result: ExchangeResult, isOverdue: boolean): Sample {
    const { dispatch, asked, dispatchedAtMs } = this.#start
    const cut = isOverdue && result.outcome === 'cancelled'
    const sample: Sample = {
      ...measuredFields(result),
      ...(cut ? { outcome: 'timeout', errorCode: 'drain_limit', errorText: null } : {}),
      index: dispatch.index,
      phase: dispatch.phase,
      scheduledAtMs: dispatch.scheduledAtMs,
      dispatchedAtMs,
      inputTokensAsked: asked.inputTokens,
      outputTokensAsked: asked.outputTokens,
      contentEventsInWindow: this.#eventsInWindow,
    }
    this.#recorder.onEnded(sample)
    return sample
  }
}

function measuredFields(result: ExchangeResult) {
  const { text, reasoningText, model, comments, whole, ...fields } = result
  // One JSON body has no first token: all of them come together, and only E2E means anything.
  return whole ? { ...fields, firstContentAtMs: null, firstVisibleAtMs: null } : fields
}

function droppedSample(dispatch: Dispatch, asked: Asked): Sample {
  return {
    index: dispatch.index,
    phase: dispatch.phase,
    outcome: 'dropped',
    httpStatus: null,
    errorCode: 'in_flight_max',
    errorText: null,
    retries: 0,
    scheduledAtMs: dispatch.scheduledAtMs,
    dispatchedAtMs: null,
    sentAtMs: null,
    firstByteAtMs: null,
    firstContentAtMs: null,
    firstVisibleAtMs: null,
    lastContentAtMs: null,
    validJsonAtMs: null,
    closedAtMs: null,
    inputTokensAsked: asked.inputTokens,
    outputTokensAsked: asked.outputTokens,
    inputTokens: null,
    inputTokensSource: 'unknown',
    outputTokens: null,
    outputTokensSource: 'unknown',
    reasoningTokens: null,
    cachedInputTokens: null,
    firstEventTokens: null,
    contentEvents: 0,
    contentEventsInWindow: 0,
    sequences: asked.sequences,
    finishReason: null,
  }
}
