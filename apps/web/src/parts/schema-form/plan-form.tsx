/** The plan's form: its parts in the order in which one thinks of them. */
import { Control } from './control.tsx'
import { fieldKind, type JsonSchema } from './field-kind.ts'
import { Group, Rows } from './group.tsx'

export function PlanForm({ schema }: { schema: JsonSchema }) {
  const part = (key: string): JsonSchema => schema.properties?.[key] ?? {}
  const slo = fieldKind(part('slo'))
  return (
    <>
      <div class="section">
        <div class="fields">
          <Control path={['name']} schema={part('name')} required />
        </div>
      </div>
      <Group path={['target']} schema={part('target')} title="Target" />
      <Group path={['workload']} schema={part('workload')} title="Workload" />
      <Group path={['sweep']} schema={part('sweep')} title="Sweep" />
      {slo.kind === 'rows' ? <Rows path={['slo']} schema={part('slo')} item={slo.item} title="SLO" /> : null}
      <Group path={['demand']} schema={part('demand')} title="Demand" />
      <Group path={['hardware']} schema={part('hardware')} title="Hardware" />
      <Group path={['limits']} schema={part('limits')} title="Limits" />
      <div class="section">
        <div class="fields">
          <Control path={['objective']} schema={part('objective')} />
          <Control path={['seed']} schema={part('seed')} />
        </div>
      </div>
    </>
  )
}
