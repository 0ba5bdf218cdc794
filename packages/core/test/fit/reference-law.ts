/** The reference parameters of the main oracle (scipy 1.17 least squares on the published table, joint objective). */
import type { StepLaw } from '../../src/fit/law.ts'

export const referenceLaw: StepLaw = {
  form: 'linear',
  baseMs: 17.661,
  slopeMs: 0.879301,
  shapeMs: 0,
  expertFraction: null,
  knots: [],
  saturationBatch: 85.4352,
  ttftBaseMs: 446.556,
  ttftSlopeMs: 8.80434,
  prefillMs: { p0: 406.77, p1: 0, p2: 0 },
  prefillSource: 'ttft',
}
