/** The entry of the thread that answers questions of seconds. */
import { answerCapacity, type CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'

// piscina calls what a module exports by default; it accepts a named `default` as well.
const answer = (question: CapacityQuestion): Recommendation => answerCapacity(question)

export { answer as default }
