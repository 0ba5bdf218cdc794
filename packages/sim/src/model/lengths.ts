/**
 * Laws of token counts: how long prompts and answers are. `pareto` is the heavy tail that planners forget: with shape
 * 1.5 its variance would be infinite, so it is cut at `max`.
 */
import { type Chance, unitMeanFactor } from '../random.ts'

export type LengthLaw =
  | { readonly kind: 'fixed'; readonly tokens: number }
  /** Whole numbers from min to max, all equally likely. */
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  | { readonly kind: 'lognormal'; readonly mean: number; readonly cv: number; readonly max: number }
  /** min / u^(1/shape), cut at max. */
  | { readonly kind: 'pareto'; readonly min: number; readonly shape: number; readonly max: number }

/** One length, a whole number >= 1. */
export function drawLength(law: LengthLaw, chance: Chance): number {
  switch (law.kind) {
    case 'fixed':
      return law.tokens
    case 'uniform':
      return law.min + Math.floor(chance() * (law.max - law.min + 1))
    case 'lognormal':
      return clamp(law.mean * unitMeanFactor(law.cv, chance), law.max)
    case 'pareto':
      return clamp(law.min / (1 - chance()) ** (1 / law.shape), law.max)
  }
}

/**
 * Mean and mean square of a length law, or null where rounding and cutting leave no short closed form
 * (`lognormal`, `pareto`).
 */
export function lengthMoments(law: LengthLaw): { readonly mean: number; readonly meanSquare: number } | null {
  if (law.kind === 'fixed') return { mean: law.tokens, meanSquare: law.tokens ** 2 }
  if (law.kind !== 'uniform') return null
  const mean = (law.min + law.max) / 2
  const count = law.max - law.min + 1
  return { mean, meanSquare: mean ** 2 + (count ** 2 - 1) / 12 }
}

/** What is wrong with a length law that somebody wrote by hand; null when nothing is. */
export function lengthLawFault(law: unknown): string | null {
  const parts: Readonly<Record<string, readonly string[]>> = {
    fixed: ['tokens'],
    uniform: ['min', 'max'],
    lognormal: ['mean', 'cv', 'max'],
    pareto: ['min', 'shape', 'max'],
  }
  const given = typeof law === 'object' && law !== null ? (law as Record<string, unknown>) : {}
  const names = parts[String(given['kind'])]
  if (names === undefined) return `kind must be one of ${Object.keys(parts).join(', ')}`
  const unknown = Object.keys(given).find((name) => name !== 'kind' && !names.includes(name))
  if (unknown !== undefined) return `${unknown} is not known; ${given['kind']} has ${names.join(', ')}`
  for (const name of names) {
    const value = given[name]
    if (!(typeof value === 'number' && Number.isFinite(value) && value > 0))
      return `${name} must be a positive number`
    const counts = name !== 'cv' && name !== 'shape' && name !== 'mean'
    if (counts && !Number.isInteger(value)) return `${name} must be a whole number`
  }
  return Number(given['min'] ?? 1) > Number(given['max'] ?? Number.POSITIVE_INFINITY)
    ? 'min exceeds max'
    : null
}

/** The longest length that a law can give. */
export function longestLength(law: LengthLaw): number {
  return law.kind === 'fixed' ? law.tokens : law.max
}

function clamp(length: number, max: number): number {
  return Math.min(max, Math.max(1, Math.round(length)))
}
