/**
 * Which control a part of the plan's schema asks for. The form knows no field of the plan by name: it reads the same
 * JSON Schema that validates, so a new field of the plan appears here by itself, with its help and its default.
 */

export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly (string | number)[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
}

export type FieldKind =
  | { readonly kind: 'text' | 'number' | 'integer' | 'boolean'; readonly schema: JsonSchema }
  | { readonly kind: 'choice'; readonly options: readonly (string | number)[]; readonly schema: JsonSchema }
  /** Comma-separated numbers. */
  | { readonly kind: 'numbers'; readonly schema: JsonSchema }
  /** A number, or one word instead of it (`mean`). */
  | { readonly kind: 'number-or-word'; readonly words: readonly string[]; readonly schema: JsonSchema }
  | { readonly kind: 'group'; readonly schema: JsonSchema }
  | { readonly kind: 'rows'; readonly item: JsonSchema; readonly schema: JsonSchema }
  /** Anything else is edited as JSON text: free maps of headers, request bodies, long traces. */
  | { readonly kind: 'json'; readonly schema: JsonSchema }

/** Rows of more fields than this are easier to paste than to click together. */
const ROW_FIELDS_MAX = 4

export function fieldKind(schema: JsonSchema): FieldKind & { readonly nullable: boolean } {
  const alternatives = schema.anyOf ?? []
  const nullable = alternatives.some((alternative) => alternative.type === 'null')
  const rest = alternatives.filter((alternative) => alternative.type !== 'null')
  const only = rest.length === 1 ? rest[0] : undefined
  const inner = only === undefined ? schema : { ...only, ...pick(schema) }
  if (rest.length > 1) return { ...unionKind(rest, schema), nullable }
  return { ...plainKind(inner), nullable }
}

function unionKind(alternatives: readonly JsonSchema[], schema: JsonSchema): FieldKind {
  const words = alternatives.flatMap(({ const: word }) => (typeof word === 'string' ? [word] : []))
  const numeric = alternatives.some(({ type }) => type === 'number' || type === 'integer')
  if (numeric && words.length === alternatives.length - 1) return { kind: 'number-or-word', words, schema }
  return { kind: 'json', schema }
}

function plainKind(schema: JsonSchema): FieldKind {
  if (schema.enum !== undefined) return { kind: 'choice', options: schema.enum, schema }
  if (schema.type === 'string') return { kind: 'text', schema }
  if (schema.type === 'number') return { kind: 'number', schema }
  if (schema.type === 'integer') return { kind: 'integer', schema }
  if (schema.type === 'boolean') return { kind: 'boolean', schema }
  if (schema.type === 'object' && schema.properties !== undefined) return { kind: 'group', schema }
  if (schema.type === 'array' && schema.items !== undefined) return arrayKind(schema, schema.items)
  return { kind: 'json', schema }
}

function arrayKind(schema: JsonSchema, item: JsonSchema): FieldKind {
  if (item.type === 'number' || item.type === 'integer') return { kind: 'numbers', schema }
  const fields = Object.keys(item.properties ?? {})
  const repeated = fields.length > 0 && fields.length <= ROW_FIELDS_MAX && !fields.includes('atS')
  return repeated ? { kind: 'rows', item, schema } : { kind: 'json', schema }
}

// The outer schema of a nullable one carries the help and the default.
function pick({ description, default: value, examples }: JsonSchema): JsonSchema {
  return {
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
    ...(examples === undefined ? {} : { examples }),
  }
}

/** `pricePerGpuHour` → `Price per GPU hour`; the unit suffix stays readable: `maxMs` → `Max (ms)`. */
export function fieldLabel(key: string): string {
  const unit = /(?<=[a-z])(Ms|S|PerS|Fraction|Tokens)$/.exec(key)?.[1]
  const stem = unit === 'Ms' || unit === 'S' ? key.slice(0, -unit.length) : key
  const words = stem
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => ACRONYMS[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ')
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  if (unit === 'Ms') return `${label} (ms)`
  if (unit === 'S') return label.endsWith(' per') ? `${label} s` : `${label} (s)`
  return label
}

const ACRONYMS: Readonly<Record<string, string>> = {
  url: 'URL',
  gpu: 'GPU',
  gpus: 'GPUs',
  slo: 'SLO',
  tls: 'TLS',
  kv: 'KV',
  api: 'API',
  json: 'JSON',
  cv: 'CV',
  eos: 'EOS',
  pem: 'PEM',
  ca: 'CA',
}
