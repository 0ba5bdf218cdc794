/** A recommendation as text for a terminal, a log or a mail: the answer first, then everything that it rests on. */
import type { Recommendation, SloTarget } from '@loadcurve/core/capacity/recommendation'
import { adviceSection } from './advice-section.ts'
import { answerSection } from './answer-section.ts'
import { curveSection } from './curve-section.ts'
import { fitSection } from './fit-section.ts'
import { fleetSection } from './fleet-section.ts'
import { levelsSection } from './levels-section.ts'
import { memorySection } from './memory-section.ts'
import { openLoopSection } from './open-loop-section.ts'
import { profilesSection } from './profiles-section.ts'
import { styleOf, type TerminalDisplay } from './style.ts'

/**
 * @param slo the promises that were asked about, for the line across the plot
 * @returns lines ending in a line break; plain ASCII when `display.unicode` is false
 */
export function recommendationText(
  recommendation: Recommendation,
  { slo, display }: { readonly slo: readonly SloTarget[]; readonly display: TerminalDisplay },
): string {
  const style = styleOf(display)
  const { fit, openLoop, fleet, memory } = recommendation
  const sections = [
    answerSection(recommendation, style),
    adviceSection('Why', recommendation.reasons, style),
    levelsSection(recommendation, style),
    fit === null ? [] : fitSection(fit, style),
    fit === null ? [] : curveSection(fit, slo, style),
    profilesSection(recommendation, style),
    openLoop === null ? [] : openLoopSection(openLoop, style),
    fleet === null ? [] : fleetSection(fleet, style),
    memory === null ? [] : memorySection(memory, style),
    adviceSection('Mind', recommendation.caveats, style),
  ]
  const text = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
  // Sentences are written with typographic apostrophes.
  return display.unicode ? text : text.replaceAll('’', "'")
}
