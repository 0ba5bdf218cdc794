/** What the schema finds wrong with a plan, translated from JSON Schema's terms into a person's. */
import type { TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import type { Violation } from './violation.ts'
import { pathOfPointer } from './violation.ts'

/** The library's default of 8 errors would hide the ninth fault; a hostile plan may not cost without end either. */
const ERRORS_MAX = 1_000

/** All places where `value` does not fit `schema`. */
export function schemaViolations(schema: TSchema, value: unknown): Violation[] {
  const errors = allErrors(schema, value)
  const kept = errors.filter((error) => isWorthSaying(error, errors))
  return kept.flatMap((error) => violationsOf(error, schema, value))
}

interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

function allErrors(schema: TSchema, value: unknown): SchemaError[] {
  const before = Settings.Get().maxErrors
  Settings.Set({ maxErrors: ERRORS_MAX })
  try {
    return Value.Errors(schema, value) as unknown as SchemaError[]
  } finally {
    Settings.Set({ maxErrors: before })
  }
}

// A value that fits no branch of "X or null" is told what is wrong with it as an X: the errors of the branches whose
// type it has, or else those of the first branch.
function isWorthSaying(error: SchemaError, all: readonly SchemaError[]): boolean {
  if (error.keyword === 'boolean' || error.keyword === 'anyOf') return false
  return all.every((union) => {
    if (union.keyword !== 'anyOf' || !error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`)) return true
    return branchOf(error, union) === likelyBranch(union, all)
  })
}

function likelyBranch(union: SchemaError, all: readonly SchemaError[]): string {
  const inside = all.filter((error) => error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`))
  const strangers = inside.filter(
    ({ keyword, instancePath }) =>
      (keyword === 'type' || keyword === 'const') && instancePath === union.instancePath,
  )
  const foreign = new Set(strangers.map((error) => branchOf(error, union)))
  return inside.map((error) => branchOf(error, union)).find((branch) => !foreign.has(branch)) ?? '0'
}

const branchOf = (error: SchemaError, union: SchemaError): string =>
  error.schemaPath.slice(`${union.schemaPath}/anyOf/`.length).split('/')[0] ?? ''

function violationsOf(error: SchemaError, schema: TSchema, value: unknown): Violation[] {
  const whatToDo = descriptionAt(schema, error.schemaPath)
  const path = pathOfPointer(error.instancePath)
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys((nodeAt(schema, error.schemaPath)['properties'] ?? {}) as object)
    return listOf(error.params['additionalProperties']).map((name) =>
      unknownField(join(path, name), name, known),
    )
  }
  if (error.keyword === 'required') {
    return listOf(error.params['requiredProperties']).map((name) => ({
      path: join(path, name),
      code: 'missing-field',
      message: `${join(path, name)} is missing`,
      whatToDo: descriptionAt(schema, `${error.schemaPath}/properties/${name}`),
    }))
  }
  const given = MAY_BE_SECRET.test(path)
    ? 'a value that is not repeated here'
    : shown(valueAt(value, error.instancePath))
  return [
    {
      path,
      code: codeOf(error.keyword),
      message: `${path || 'the plan'} ${sentence(error)}, got ${given}`,
      whatToDo,
    },
  ]
}

/** Fields into which people paste keys and passwords: violations are logged and shown. */
const MAY_BE_SECRET = /^target\.(apiKeyRef|headers)\b|Url$/

function unknownField(path: string, name: string, known: readonly string[]): Violation {
  const near = known.filter((one) => editDistance(one.toLowerCase(), name.toLowerCase()) <= 2)
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Known here: ${known.join(', ')}`
  return { path, code: 'unknown-field', message: `${path} is not a field of a plan`, whatToDo: hint }
}

const CODES: Readonly<Record<string, string>> = {
  type: 'wrong-type',
  enum: 'not-a-choice',
  pattern: 'malformed',
  uniqueItems: 'not-unique',
}
const codeOf = (keyword: string): string => CODES[keyword] ?? 'out-of-range'

function sentence({ keyword, params, message }: SchemaError): string {
  if (keyword === 'type') return `must be ${article(String(params['type']))}`
  if (keyword === 'enum') return `must be one of ${listOf(params['allowedValues']).join(', ')}`
  if (keyword === 'pattern') return 'is not of the expected form'
  if (keyword === 'uniqueItems') return 'must not repeat a value'
  return message
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)
const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

type Node = Readonly<Record<string, unknown>>

function nodeAt(schema: TSchema, schemaPath: string): Node {
  const parts = schemaPath.split('/').slice(1)
  return parts.reduce<Node>((node, part) => (node[part] ?? {}) as Node, schema as unknown as Node)
}

// The nearest description upwards: a branch of a union has none of its own.
function descriptionAt(schema: TSchema, schemaPath: string): string {
  const parts = schemaPath.split('/')
  for (let length = parts.length; length > 0; length--) {
    const { description } = nodeAt(schema, parts.slice(0, length).join('/'))
    if (typeof description === 'string' && description !== '') return description
  }
  return 'See the plan schema'
}

function valueAt(value: unknown, pointer: string): unknown {
  const parts = pointer.split('/').slice(1)
  return parts.reduce<unknown>((place, part) => (place as Node | null | undefined)?.[part], value)
}

// Levenshtein distance, for "did you mean": field names are short.
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}
