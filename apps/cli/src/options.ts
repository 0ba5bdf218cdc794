/**
 * Reading of option values. Commander hands over text; each reader returns the value, or null and notes a violation,
 * so that a command can tell everything that is wrong at once.
 */
import type { Violation } from './errors.ts'

export interface NumberRange {
  /** `null`: no bound on that side. */
  readonly min: number | null
  /** The minimum itself is not allowed. */
  readonly minExclusive?: boolean
  readonly max?: number
  readonly integer?: boolean
}

const plainNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** A number within its range, null when the option was not given or is wrong. */
export function readNumber(
  option: string,
  text: string | undefined,
  range: NumberRange,
  violations: Violation[],
): number | null {
  if (text === undefined) return null
  const value = plainNumber.test(text.trim()) ? Number(text) : Number.NaN
  if (isWithin(value, range)) return value
  violations.push({ path: option, message: `must be ${describe(range)}, got "${text}"` })
  return null
}

/** Comma-separated numbers, each within the range. */
export function readNumbers(
  option: string,
  text: string | undefined,
  range: NumberRange,
  violations: Violation[],
): readonly number[] {
  if (text === undefined) return []
  return text.split(',').flatMap((part) => readNumber(option, part, range, violations) ?? [])
}

/** `name=value`, cut at the first equals sign. */
export function readAssignment(
  option: string,
  text: string,
  violations: Violation[],
): { readonly name: string; readonly value: string } | null {
  const at = text.indexOf('=')
  const name = text.slice(0, at).trim()
  const value = text.slice(at + 1).trim()
  if (at > 0 && name !== '' && value !== '') return { name, value }
  violations.push({ path: option, message: `must look like name=header, got "${text}"` })
  return null
}

/** For options that may be given several times. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
]

function isWithin(value: number, { min, minExclusive = false, max, integer = false }: NumberRange): boolean {
  if (!Number.isFinite(value) || (integer && !Number.isSafeInteger(value))) return false
  if (min !== null && (value < min || (minExclusive && value === min))) return false
  return max === undefined || value <= max
}

function describe({ min, minExclusive = false, max, integer = false }: NumberRange): string {
  const noun = integer ? 'a whole number' : 'a number'
  const low = min === null ? '' : minExclusive ? ` more than ${min}` : ` of at least ${min}`
  return `${noun}${low}${max === undefined ? '' : ` and at most ${max}`}`
}
