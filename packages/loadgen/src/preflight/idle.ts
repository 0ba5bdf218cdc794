/** Is anybody else using the server? While nothing of ours is in flight, its own metrics must show nothing running. */

import type { Visitor } from '../target/visitor.ts'
import { type MetricsMapping, recogniseEngine, shippedMapping } from '../target-metrics/mapping.ts'
import { parsePrometheusText } from '../target-metrics/prometheus-text.ts'
import { targetReading } from '../target-metrics/reading.ts'
import { blocker, type Finding, passed, warning } from './finding.ts'

export interface IdleOptions {
  readonly visitor: Visitor
  readonly metricsUrl: string
  /** Null: recognised by the names on the page. */
  readonly mapping: MetricsMapping | null
  readonly timeoutMs: number
  readonly nowMs: () => number
}

/** A gauge may lag behind by a moment: only what is still there at every look is traffic. */
const LOOKS = 3
const BETWEEN_LOOKS_MS = 300

export async function checkIdle(options: IdleOptions): Promise<Finding> {
  let fewest = Infinity
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS))
    const seen = await requestsOnServer(options)
    if (typeof seen === 'string') return unreadable(options.metricsUrl, seen)
    fewest = Math.min(fewest, seen)
    if (fewest === 0)
      return passed('server-idle', 'The server’s metrics are readable and show nothing running.')
  }
  return blocker(
    'foreign-traffic',
    `The server runs ${fewest} requests that are not ours.`,
    'Keep other clients away from the server while it is tested: they would be part of every number.',
  )
}

/** Running and waiting requests, or why they are not known. */
async function requestsOnServer(options: IdleOptions): Promise<number | string> {
  const answer = await options.visitor.visit({ url: options.metricsUrl, timeoutMs: options.timeoutMs })
  if (!answer.ok) return answer.message
  if (answer.status !== 200) return `status ${answer.status}`
  const samples = parsePrometheusText(answer.text)
  const engine = recogniseEngine(samples)
  const mapping = options.mapping ?? (engine === null ? null : shippedMapping(engine))
  if (mapping === null) return 'no series of a known engine are on the page'
  const { running, waiting } = targetReading(samples, mapping, options.nowMs())
  return running === null ? 'the number of running requests is not on the page' : running + (waiting ?? 0)
}

function unreadable(url: string, why: string): Finding {
  return warning(
    'metrics-unreadable',
    `${url}: ${why}.`,
    'Correct target.metricsUrl or target.metricsMapping; without them, running, waiting and KV usage stay unknown.',
  )
}
