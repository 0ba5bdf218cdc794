/** One labelled control with its help, its default as placeholder, and its violations beside it. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type FieldKind, fieldKind, fieldLabel, type JsonSchema } from './field-kind.ts'
import { useField } from './form-state.ts'
import type { ValuePath } from './value-path.ts'

export interface ControlProps {
  readonly path: ValuePath
  readonly schema: JsonSchema
  readonly required?: boolean
}

export function Control({ path, schema, required = false }: ControlProps) {
  const kind = fieldKind(schema)
  const field = useField(path)
  const label = fieldLabel(String(path.at(-1)))
  const wide = kind.kind === 'json' || kind.kind === 'numbers'
  return (
    <div class={`field${wide ? ' field-wide' : ''}${field.violations.length > 0 ? ' field-invalid' : ''}`}>
      <label for={field.id}>
        {label}
        {required ? <span class="required"> (required)</span> : null}
      </label>
      <Input kind={kind} nullable={kind.nullable} field={field} />
      <Violations id={field.id} messages={field.violations.map(({ message }) => message)} />
      {schema.description === undefined ? null : (
        <p class="help" id={`${field.id}-help`}>
          {schema.description}
        </p>
      )}
    </div>
  )
}

function Violations({ id, messages }: { id: string; messages: readonly string[] }) {
  return (
    <div id={`${id}-errors`} aria-live="polite">
      {messages.map((message) => (
        <p class="violation" key={message}>
          {message}
        </p>
      ))}
    </div>
  )
}

type Field = ReturnType<typeof useField>
interface InputProps<Kind extends FieldKind = FieldKind> {
  readonly kind: Kind
  readonly nullable: boolean
  readonly field: Field
}

function Input({ kind, nullable, field }: InputProps): JSX.Element {
  switch (kind.kind) {
    case 'choice':
      return <Choice kind={kind} nullable={nullable} field={field} />
    case 'boolean':
      return (
        <Choice
          kind={{ kind: 'choice', options: ['true', 'false'], schema: kind.schema }}
          nullable={nullable}
          field={yesNo(field)}
        />
      )
    case 'numbers':
      return <TextInput field={field} schema={kind.schema} read={readNumbers} write={writeNumbers} />
    case 'json':
      return <TextInput field={field} schema={kind.schema} read={readJson} write={writeJson} multiline />
    case 'text':
      return <TextInput field={field} schema={kind.schema} read={(text) => text} write={String} />
    default:
      return <TextInput field={field} schema={kind.schema} read={readNumber} write={String} numeric />
  }
}

function Choice({ kind, nullable, field }: InputProps<Extract<FieldKind, { kind: 'choice' }>>) {
  const fallback = kind.schema.default
  return (
    <select
      id={field.id}
      aria-describedby={describedBy(field)}
      aria-invalid={field.violations.length > 0}
      value={field.value === undefined ? '' : String(field.value)}
      onChange={(event) =>
        field.change(event.currentTarget.value === '' ? undefined : event.currentTarget.value)
      }
    >
      <option value="">
        {fallback === undefined || fallback === null ? (nullable ? 'none' : '–') : `${fallback} (default)`}
      </option>
      {kind.options.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  )
}

interface TextInputProps {
  readonly field: Field
  readonly schema: JsonSchema
  readonly read: (text: string) => unknown
  readonly write: (value: unknown) => string
  readonly multiline?: boolean
  readonly numeric?: boolean
}

// The text is kept as typed: "1." on the way to "1.5" must not be rewritten under the fingers.
function TextInput({ field, schema, read, write, multiline = false, numeric = false }: TextInputProps) {
  const shown = field.value === undefined || field.value === null ? '' : write(field.value)
  const [text, setText] = useState(shown)
  useEffect(() => {
    if (JSON.stringify(read(text)) !== JSON.stringify(field.value)) setText(shown)
  }, [shown])
  const type = (typed: string) => {
    setText(typed)
    field.change(typed.trim() === '' ? undefined : read(typed))
  }
  const shared = {
    id: field.id,
    value: text,
    placeholder: placeholder(schema),
    'aria-describedby': describedBy(field),
    'aria-invalid': field.violations.length > 0,
    spellcheck: false,
    autocomplete: 'off',
  } as const
  if (multiline) return <textarea {...shared} rows={3} onInput={(event) => type(event.currentTarget.value)} />
  return (
    <input
      {...shared}
      type="text"
      inputMode={numeric ? 'decimal' : 'text'}
      onInput={(event) => type(event.currentTarget.value)}
    />
  )
}

const describedBy = (field: Field): string => `${field.id}-errors ${field.id}-help`

function placeholder(schema: JsonSchema): string {
  const example = schema.examples?.[0]
  const value = schema.default ?? example
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? writeJson(value) : String(value)
}

// What is not a number is kept as text: the validator says so in its own words, beside the field.
const readNumber = (text: string): unknown => {
  const number = Number(text.trim())
  return text.trim() !== '' && Number.isFinite(number) ? number : text
}
const readNumbers = (text: string): unknown =>
  text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(readNumber)
const writeNumbers = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value))
const writeJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function yesNo(field: Field): Field {
  const change = (replacement: unknown) =>
    field.change(replacement === undefined ? undefined : replacement === 'true')
  return { ...field, change }
}

export function Section({
  title,
  help,
  children,
}: {
  title: string
  help?: string
  children: ComponentChildren
}) {
  return (
    <fieldset class="section">
      <legend>{title}</legend>
      {help === undefined ? null : <p class="help">{help}</p>}
      {children}
    </fieldset>
  )
}
