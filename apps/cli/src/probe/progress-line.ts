/** One line that is written over again while a probe runs. */
import type { Progress } from '@loadcurve/loadgen/step-order'
import type { TextSink } from '../context.ts'

export interface ProgressLine {
  say(text: string): void
  show(progress: Progress): void
  /** Takes the line away. */
  clear(): void
}

/** @param sink a terminal; null: there is none, and nothing is shown */
export function progressLine(sink: TextSink | null, requests: number): ProgressLine {
  const write = (text: string): void => {
    // Back to the start, and clear what a longer line left behind.
    sink?.write(`\r\u001b[K${text}`)
  }
  return {
    say: write,
    show: (progress) => write(progressText(progress, requests)),
    clear: () => write(''),
  }
}

const phaseWords = { warmup: 'warming up', window: 'measuring', tail: 'finishing' } as const

/** What a snapshot says in one line of at most 79 columns. */
export function progressText(progress: Progress, requests: number): string {
  const { phase, inFlight, measuredEnded, failed, endedPerS, contentEventsPerS, ttftP50Ms } = progress
  const parts = [
    phaseWords[phase],
    `${measuredEnded}/${requests}`,
    `${inFlight} in flight`,
    `${endedPerS.toFixed(1)} req/s`,
    `${Math.round(contentEventsPerS)} events/s`,
    ...(ttftP50Ms === null ? [] : [`TTFT ${Math.round(ttftP50Ms)} ms`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ]
  return parts.join('  ').slice(0, 79)
}
