/** How the requests of a step ended: counts by outcome, and examples of what went wrong. */
import { isOk } from './request.ts'
import type { Outcome, Sample } from './sample.ts'
import { OUTCOMES } from './sample.ts'
import type { ErrorExample } from './step-summary.ts'

const EXAMPLES_SHOWN = 5
/** Servers that put an id into every message would make a distinct example of every failure. */
const EXAMPLES_KEPT_MAX = 200

export function countOutcomes(samples: readonly Sample[]): Readonly<Record<Outcome, number>> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  for (const sample of samples) counts[sample.outcome]++
  return counts
}

/** The most frequent failures, most frequent first. */
export function errorExamples(samples: readonly Sample[]): readonly ErrorExample[] {
  const examples = new Map<
    string,
    { outcome: Outcome; code: string | null; text: string | null; count: number }
  >()
  for (const sample of samples) {
    if (isOk(sample)) continue
    const full = `${sample.outcome} ${sample.errorCode} ${sample.errorText}`
    const isNew = !examples.has(full) && examples.size >= EXAMPLES_KEPT_MAX
    const text = isNew ? null : sample.errorText
    const key = isNew ? `${sample.outcome} ${sample.errorCode}` : full
    const example = examples.get(key) ?? { outcome: sample.outcome, code: sample.errorCode, text, count: 0 }
    example.count++
    examples.set(key, example)
  }
  return [...examples.values()].sort((left, right) => right.count - left.count).slice(0, EXAMPLES_SHOWN)
}
