/**
 * Is this a plan? All faults are reported at once, each with its path: those of the schema, contradictions between
 * fields, and URLs that the target policy refuses. The cross-field rules run on what is left of a plan when its faulty
 * fields are taken out, so one typing error does not hide a contradiction elsewhere.
 */
import { Value } from 'typebox/value'
import { CROSS_FIELD_RULES } from './cross-field-rules.ts'
import { resolvePlan } from './resolve.ts'
import type { Plan, PlanInput } from './schema.ts'
import { PlanInputSchema } from './schema.ts'
import { schemaViolations } from './schema-violations.ts'
import type { TargetPolicy } from './target-policy.ts'
import { judgeTargetUrl, parseTargetPolicy, parseTargetUrl } from './target-policy.ts'
import type { Violation } from './violation.ts'

export type Validation =
  | { readonly ok: true; readonly plan: Plan; readonly violations: readonly [] }
  | { readonly ok: false; readonly violations: readonly Violation[] }

/**
 * All faults of a plan, or the plan with everything filled.
 *
 * @param input whatever was sent
 * @param policy which targets are allowed; null: URLs are only read, not judged
 */
export function validatePlan(input: unknown, policy: TargetPolicy | null): Validation {
  const found = schemaViolations(PlanInputSchema, input)
  const plan = isObject(input) ? resolvePlan(withoutFaults(input, found)) : null
  const violations = plan === null ? found : [...found, ...crossFieldViolations(plan, found, policy)]
  if (violations.length > 0 || plan === null) return { ok: false, violations }
  return { ok: true, plan, violations: [] }
}

function crossFieldViolations(
  plan: Plan,
  found: readonly Violation[],
  policy: TargetPolicy | null,
): Violation[] {
  const isFaulty = (path: string) => found.some((one) => overlaps(one.path, path))
  const rules = CROSS_FIELD_RULES.filter((rule) => !rule.reads.some(isFaulty))
  return [
    ...rules.flatMap((rule) => rule.check(plan)),
    ...urlsOf(plan)
      .filter(({ path }) => !isFaulty(path))
      .flatMap((one) => urlViolation(one, policy)),
  ]
}

// Unknown fields say nothing about the field that holds them, all other faults do.
function overlaps(faulty: string, read: string): boolean {
  const within = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
  return faulty !== '' && (within(faulty, read) || within(read, faulty))
}

interface PlanUrl {
  readonly path: string
  readonly url: string
}

function urlsOf({ target, sweep }: Plan): PlanUrl[] {
  const urls = [
    { path: 'target.baseUrl', url: target.baseUrl },
    { path: 'target.metricsUrl', url: target.metricsUrl },
    { path: 'target.tokenizeUrl', url: target.tokenizeUrl },
    { path: 'sweep.batch.controlUrl', url: sweep.batch.controlUrl },
    { path: 'sweep.batch.readyUrl', url: sweep.batch.readyUrl },
  ]
  return urls.filter((one): one is PlanUrl => one.url !== null)
}

const readOnly = parseTargetPolicy('*, loopback')

function urlViolation({ path, url }: PlanUrl, policy: TargetPolicy | null): Violation[] {
  const parts = parseTargetUrl(url)
  const refusal = 'code' in parts ? parts : judgeTargetUrl(url, policy ?? readOnly)
  return refusal === null ? [] : [{ path, ...refusal }]
}

type Mutable = Record<string, unknown>
const isObject = (value: unknown): value is Mutable =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// A faulty element takes its whole list with it: the positions of the others must not shift.
function withoutFaults(input: Mutable, found: readonly Violation[]): PlanInput {
  const plan = Value.Clone(input) as Mutable
  for (const { path } of found) remove(plan, (path.split('[')[0] ?? '').split('.'))
  const target = isObject(plan['target']) ? plan['target'] : {}
  // Placeholders for what a plan cannot do without; their own faults are already found.
  return { name: 'unnamed', ...plan, target: { baseUrl: 'http://127.0.0.1/', model: 'unnamed', ...target } }
}

function remove(plan: Mutable, parts: readonly string[]): void {
  let place: unknown = plan
  for (const part of parts.slice(0, -1)) place = isObject(place) ? place[part] : undefined
  const last = parts.at(-1)
  if (isObject(place) && last !== undefined) delete place[last]
}
