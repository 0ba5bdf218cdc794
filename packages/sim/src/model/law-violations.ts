/** What can be wrong with a law that somebody wrote by hand, as JSON. Every violation, each with its path. */

export interface LawViolation {
  readonly path: string
  readonly message: string
}

type Check = (value: unknown, law: Readonly<Record<string, unknown>>) => string | null

const CHECKS: Readonly<Record<string, Check>> = {
  baseMs: (value) => (isNumber(value) && value > 0 ? null : 'must be a positive number'),
  perSequenceMs: notNegative,
  perContextTokenMs: notNegative,
  experts: optional(record({ scaleMs: notNegative, activeFraction: shareAboveZero })),
  capturedBatches: (value) =>
    isIncreasing(value) ? null : 'must be an increasing array of whole numbers >= 1',
  prefill: record({ perPromptMs: notNegative, perTokenMs: notNegative, perTokenSquaredMs: notNegative }),
  maxNumSeqs: count,
  maxNumBatchedTokens: (value, { maxNumSeqs }) =>
    value === null || (isNumber(value) && Number.isInteger(value) && value >= Number(maxNumSeqs))
      ? null
      : `must be null or a whole number not below max_num_seqs (${maxNumSeqs})`,
  kv: optional(record({ blocks: count, blockTokens: count })),
  prefixCache: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  noise: record({ stepCv: notNegative, prefillCv: notNegative }),
  hiccup: optional(
    record({
      everyMs: (value) => (isNumber(value) && value > 0 ? null : 'must be a positive number'),
      pauseMs: notNegative,
    }),
  ),
}

/** @param law any object; parts that are missing count as wrong */
export function lawViolations(law: Readonly<Record<string, unknown>>): LawViolation[] {
  const violations: LawViolation[] = []
  for (const [path, check] of Object.entries(CHECKS)) {
    const message = check(law[path], law)
    if (message !== null) violations.push({ path, message: `${message}, got ${JSON.stringify(law[path])}` })
  }
  for (const path of Object.keys(law)) {
    if (!Object.hasOwn(CHECKS, path))
      violations.push({
        path,
        message: `a law has no such part; it has ${Object.keys(CHECKS).sort().join(', ')}`,
      })
  }
  return violations
}

function record(parts: Readonly<Record<string, Check>>): Check {
  return (value, law) => {
    if (typeof value !== 'object' || value === null)
      return `must be an object with ${Object.keys(parts).join(', ')}`
    const given = value as Record<string, unknown>
    const wrong = Object.entries(parts).flatMap(([name, check]) => {
      const message = check(given[name], law)
      return message === null ? [] : [`${name} ${message}`]
    })
    const unknown = Object.keys(given).filter((name) => !Object.hasOwn(parts, name))
    wrong.push(...unknown.map((name) => `${name} is not known`))
    return wrong.length === 0 ? null : wrong.join('; ')
  }
}

function optional(check: Check): Check {
  return (value, law) => (value === null ? null : check(value, law))
}

function notNegative(value: unknown): string | null {
  return isNumber(value) && value >= 0 ? null : 'must be a number >= 0'
}

function shareAboveZero(value: unknown): string | null {
  return isNumber(value) && value > 0 && value <= 1 ? null : 'must be above 0 and at most 1'
}

function count(value: unknown): string | null {
  return isNumber(value) && Number.isInteger(value) && value >= 1 ? null : 'must be a whole number >= 1'
}

function isIncreasing(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  return value.every((size, index) => Number.isInteger(size) && size > (index === 0 ? 0 : value[index - 1]))
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
