/** Which of the levels that a curve was fitted to are past saturation, whether or not they tell where it lies. */
import type { CurveFit } from './curve.ts'
import type { LevelReading } from './reading.ts'
import { groupRepeats } from './sweep.ts'

/** Readings of the levels that entered the fit. */
export function usableReadings(curve: CurveFit): LevelReading[] {
  return curve.levels.flatMap(({ reading, excluded }) => (excluded === null ? [reading] : []))
}

/** Those whose clients queue. A single such level does not identify the saturation, but its clients queue all the same. */
export function queueingReadings(curve: CurveFit): ReadonlySet<LevelReading> {
  const groups = groupRepeats(usableReadings(curve))
  return new Set(curve.saturation?.past.flatMap((index) => groups[index] ?? []))
}
