/** A group of fields, its everyday ones in sight and the rest behind "more"; lists of groups as rows. */
import { Control, Section } from './control.tsx'
import { fieldKind, fieldLabel, type JsonSchema } from './field-kind.ts'
import { useField, useViolationsBelow } from './form-state.ts'
import { pathText, type ValuePath } from './value-path.ts'

/** Fields that a first plan needs. Everything else has a good default and waits behind "more". */
const EVERYDAY = new Set([
  'target.baseUrl',
  'target.model',
  'target.endpoint',
  'target.apiKeyRef',
  'target.metricsUrl',
  'workload.profile',
  'workload.inputTokens.mean',
  'workload.inputTokens.stdev',
  'workload.outputTokens.mean',
  'workload.outputTokens.stdev',
  'sweep.mode',
  'sweep.concurrency',
  'sweep.ratesPerS',
  'sweep.verify',
  'demand.peakRequestsPerS',
  'demand.meanRequestsPerS',
  'demand.burstFactor',
  'demand.spareReplicas',
  'hardware.gpu',
  'hardware.gpusPerReplica',
  'hardware.pricePerGpuHour',
  'hardware.priceDate',
  'hardware.model',
  'limits.maxRequests',
  'limits.maxDurationS',
])

export interface GroupProps {
  readonly path: ValuePath
  readonly schema: JsonSchema
  readonly title?: string
}

export function Group({ path, schema, title }: GroupProps) {
  const inner = fieldKind(schema).schema
  const entries = Object.entries(inner.properties ?? {})
  const everyday = entries.filter(([key]) => containsEveryday([...path, key]))
  const further = entries.filter(([key]) => !containsEveryday([...path, key]))
  const required = new Set(inner.required ?? [])
  const field = (entry: [string, JsonSchema]) => (
    <Part key={entry[0]} path={[...path, entry[0]]} schema={entry[1]} required={required.has(entry[0])} />
  )
  return (
    <Section
      title={title ?? fieldLabel(String(path.at(-1)))}
      {...(inner.description === undefined ? {} : { help: inner.description })}
    >
      <div class="fields">{everyday.map(field)}</div>
      {further.length === 0 ? null : (
        <Further path={path} entries={further} everyday={everyday.length > 0} field={field} />
      )}
    </Section>
  )
}

function Further({
  path,
  entries,
  everyday,
  field,
}: {
  path: ValuePath
  entries: readonly [string, JsonSchema][]
  everyday: boolean
  field: (entry: [string, JsonSchema]) => preact.JSX.Element
}) {
  const below = useViolationsBelow(path)
  const names = entries.map(([key]) => inSentence(fieldLabel(key))).join(', ')
  if (!everyday) return <div class="fields">{entries.map(field)}</div>
  return (
    <details open={below > 0}>
      <summary>More: {names}</summary>
      <div class="fields">{entries.map(field)}</div>
    </details>
  )
}

// `Min tokens` → `min tokens`, but `TLS` stays.
const inSentence = (label: string): string =>
  label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())

function containsEveryday(path: ValuePath): boolean {
  const text = pathText(path)
  return EVERYDAY.has(text) || [...EVERYDAY].some((everyday) => everyday.startsWith(`${text}.`))
}

export function Part({
  path,
  schema,
  required,
}: {
  path: ValuePath
  schema: JsonSchema
  required?: boolean
}) {
  const kind = fieldKind(schema)
  if (kind.kind === 'group') return <Group path={path} schema={schema} />
  if (kind.kind === 'rows') return <Rows path={path} schema={schema} item={kind.item} />
  return <Control path={path} schema={schema} required={required ?? false} />
}

export function Rows({ path, schema, item, title }: GroupProps & { readonly item: JsonSchema }) {
  const field = useField(path)
  const rows = Array.isArray(field.value) ? field.value : []
  const name = title ?? fieldLabel(String(path.at(-1)))
  return (
    <Section title={name} {...(schema.description === undefined ? {} : { help: schema.description })}>
      {field.violations.map(({ message }) => (
        <p class="violation" key={message}>
          {message}
        </p>
      ))}
      {rows.map((_, index) => (
        <div class="row" key={pathText([...path, index])}>
          <div class="fields">
            {Object.entries(item.properties ?? {}).map(([key, part]) => (
              <Part
                key={key}
                path={[...path, index, key]}
                schema={part}
                required={item.required?.includes(key) ?? false}
              />
            ))}
          </div>
          <button
            type="button"
            class="quiet"
            onClick={() => field.change(rows.filter((__, other) => other !== index))}
          >
            Remove {name} {index + 1}
          </button>
        </div>
      ))}
      <button type="button" class="quiet" onClick={() => field.change([...rows, {}])}>
        Add {name}
      </button>
    </Section>
  )
}
