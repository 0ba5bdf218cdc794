/**
 * The owner's side of a load process. The samples that come with progress are collected here, so that the load
 * process's memory stays flat however long the step is, and so that its last message is short.
 */
import type { ChildProcess } from 'node:child_process'
import type { CalibrationReadings, Sample } from '@loadcurve/core/metrics/sample'
import type { DriveResult, Progress, StepOrder } from '../step-order.ts'
import { targetKeyVariable } from '../step-target.ts'
import { isLoadMessage, type LoadMessage, type OwnerMessage } from './messages.ts'
import { forkOwned } from './ownership.ts'

/** The step could not be driven: the load process said why, or died. */
export interface LoadFailure {
  readonly end: 'failed'
  readonly code: string
  readonly message: string
}

export interface LoadProcess {
  readonly pid: number | undefined
  /** Settles when the process is ready, or cannot get ready. Never rejects. */
  readonly ready: Promise<{ readonly calibration: CalibrationReadings | null } | LoadFailure>
  /** Settles when the step has ended and the process is gone. Never rejects. */
  readonly result: Promise<DriveResult | LoadFailure>
  /** @param startAtMs the start of the step on the machine's monotonic clock */
  go(startAtMs: number): void
  /** Moves the end of the window, step time, ms; ignored when it has closed. */
  extend(untilMs: number): void
  /** Ends the load within a second; the result holds what was measured until then. */
  abort(): void
  /** Ends the process at once; the result is a failure. */
  kill(): void
}

export interface ForkOptions {
  readonly order: StepOrder
  /** Where the target's key and the data folder are looked up; the process is given nothing else of it. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onProgress?: (progress: Progress) => void
}

/** The load ends at once; reading what had been received may take longer. An aborted process is killed after this time. */
const abortLongestMs = 5000
/** A process that has told its result must end by itself within this time. */
const endLongestMs = 2000

/** Starts a load process and gives it its order. */
export function forkLoadProcess({ order, env, onProgress }: ForkOptions): LoadProcess {
  const child = forkOwned('child', loadEnvironment(order, env))
  const samples: Sample[] = []
  const tell = (message: OwnerMessage): void => {
    if (child.connected) child.send(message, () => {})
  }
  const ready = deferred<Awaited<LoadProcess['ready']>>()
  const result = deferred<Awaited<LoadProcess['result']>>()
  let last: DriveResult | LoadFailure | null = null

  const receive = (message: LoadMessage): void => {
    if (message.type === 'ready') ready.resolve({ calibration: message.calibration })
    if (message.type === 'progress') {
      samples.push(...message.progress.samples)
      onProgress?.(message.progress)
    }
    if (message.type === 'result') last = collected(message, samples)
    if (message.type === 'failed') last = { end: 'failed', code: message.code, message: message.message }
    if (last !== null) killAfter(child, endLongestMs)
  }
  child.on('message', (message: unknown) => {
    if (isLoadMessage(message)) receive(message)
  })
  whenGone(child, (failure) => {
    ready.resolve(last === null || last.end !== 'failed' ? failure : last)
    result.resolve(last ?? failure)
  })
  tell({ type: 'order', order })
  return {
    pid: child.pid,
    ready: ready.promise,
    result: result.promise,
    go: (startAtMs) => tell({ type: 'go', startAtMs }),
    extend: (untilMs) => tell({ type: 'extend', untilMs }),
    abort: () => {
      tell({ type: 'abort' })
      killAfter(child, abortLongestMs)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => {}
  const promise = new Promise<T>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: (value) => settle(value) }
}

function collected(
  message: Extract<LoadMessage, { type: 'result' }>,
  samples: readonly Sample[],
): DriveResult {
  const { end, record } = message
  return { end, record: { ...record, samples: [...samples, ...record.samples] } }
}

function whenGone(child: ChildProcess, tell: (failure: LoadFailure) => void): void {
  const failed = (message: string): void => tell({ end: 'failed', code: 'load-process-died', message })
  child.once('error', (error) => failed(`the load process could not be started: ${error.message}`))
  // A message that was sent before the end may still be on its way to its handler.
  child.once('exit', (code, signal) => {
    setImmediate(() =>
      failed(`the load process ended with ${signal ?? `code ${code}`} before it had a result`),
    )
  })
}

function killAfter(child: ChildProcess, ms: number): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  child.once('exit', () => clearTimeout(timer))
}

function loadEnvironment(
  order: StepOrder,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const { apiKeyRef } = order.target
  const names = ['LOADCURVE_DATA_DIR', ...(apiKeyRef === null ? [] : [targetKeyVariable(apiKeyRef)])]
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
