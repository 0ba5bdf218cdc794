/** The fit: its form, its parameters with units, and how wrong it is where it was not told the answer. */
import type { FitReport } from '@loadcurve/core/capacity/recommendation'
import { definitionList } from './layout.ts'
import { numberText, percentText } from './number-text.ts'
import type { Style } from './style.ts'

const FORMS: Readonly<Record<string, string>> = {
  linear: 'step time = a + s*b',
  sqrt: 'step time = a + s*b + d*sqrt(b)',
  moe: 'step time = a + s*b + d*(1 - (1 - k/E)^b)',
  isotonic: 'no formula fits within 10 %: rising straight pieces through the levels',
}

/** Symbol of MODEL.md and unit of each parameter and knee, in the order in which they are shown. */
const NAMES: Readonly<Record<string, readonly [name: string, unit: string]>> = {
  baseMs: ['a', 'ms'],
  slopeMs: ['s', 'ms per request in decode'],
  shapeMs: ['d', 'ms'],
  expertFraction: ['k/E', 'of the experts'],
  saturationBatch: ['B*', 'requests in decode at saturation'],
  ttftBaseMs: ['t0', 'ms TTFT without load'],
  ttftSlopeMs: ['t1', 'ms TTFT per request in decode'],
  prefillP0Ms: ['p0', 'ms prefill'],
  prefillP1MsPerToken: ['p1', 'ms prefill per token'],
  prefillP2MsPerToken2: ['p2', 'ms prefill per token squared'],
  uslAlpha: ['alpha', 'contention (USL)'],
  uslBeta: ['beta', 'coherence (USL)'],
  uslGamma: ['gamma', 'requests/s of one request in flight (USL)'],
  throughputOverLatency: ['knee', 'requests in decode at the best throughput over latency (decides nothing)'],
  uslPeakConcurrency: ['peak', 'requests in flight at the most throughput (USL)'],
}

export function fitSection(fit: FitReport, style: Style): readonly string[] {
  if (!(fit.model in FORMS)) return []
  const { symbols } = style
  const named = (record: Readonly<Record<string, number | null>>): (readonly [string, string])[] =>
    Object.entries(record).flatMap(([key, value]) => {
      // A term that the form does not have is zero or null.
      if (value === null || (value === 0 && key !== 'uslBeta')) return []
      const [name, unit] = NAMES[key] ?? [key, '']
      return [[name, `${numberText(value, symbols)} ${unit}`.trimEnd()] as const]
    })
  const entries: (readonly [string, string])[] = [
    ['form', `${fit.model}: ${FORMS[fit.model]}   (b = batch)`],
    ...named(fit.params),
    ...named(fit.knees),
    ['error', `${percentText(fit.looErrorFraction, symbols)} mean, each level predicted from the others`],
  ]
  if (!fit.converged) entries.push(['note', style.warn('the fit did not converge')])
  return [style.heading('Fit'), ...definitionList(entries, style.columns)]
}
