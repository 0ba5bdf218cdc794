/** Contradictions in the promise, the demand and the hardware. */
import type { Plan, PlanDemand } from './schema.ts'
import type { Violation } from './violation.ts'
import { lengthViolations } from './workload-rules.ts'

const NEEDS_STREAM = ['ttft', 'ttftScheduled', 'firstVisibleToken', 'tpot', 'gap', 'validJson']

export function sloRules({ slo, target, workload }: Plan): Violation[] {
  return slo.flatMap((promise, index) => {
    const path = `slo[${index}]`
    const found: Violation[] = []
    const earlier = slo.findIndex(
      (one) => one.metric === promise.metric && one.percentile === promise.percentile,
    )
    if (earlier < index) {
      const message = `${promise.metric} ${promise.percentile} is promised twice`
      found.push({ path, code: 'slo-repeated', message, whatToDo: 'Keep the stricter one' })
    }
    if (!target.stream && NEEDS_STREAM.includes(promise.metric)) {
      const message = `Without a stream there is no ${promise.metric}`
      found.push({
        path,
        code: 'slo-needs-stream',
        message,
        whatToDo: 'Set target.stream to true, or promise e2e',
      })
    }
    if (promise.metric === 'validJson' && !workload.expectJson) {
      const message = 'The time to valid JSON is only measured when JSON is expected'
      found.push({ path, code: 'slo-needs-json', message, whatToDo: 'Set workload.expectJson to true' })
    }
    return found
  })
}

const DEMAND_FORMS = ['peakRequestsPerS', 'users', 'hourlyRequestsPerS', 'job', 'classes'] as const

export function demandRules({ demand }: Plan): Violation[] {
  if (demand === null) return []
  const forms = DEMAND_FORMS.filter((form) => demand[form] !== null)
  if (forms.length !== 1) {
    const given = forms.length === 0 ? 'none' : forms.join(' and ')
    const message = `Demand must come in one form, got ${given}`
    return [
      { path: 'demand', code: 'demand-form', message, whatToDo: `Keep one of ${DEMAND_FORMS.join(', ')}` },
    ]
  }
  return [...strayFields(demand), ...emptyDemand(demand), ...classViolations(demand)]
}

function strayFields(demand: PlanDemand): Violation[] {
  const found: Violation[] = []
  const { meanRequestsPerS: mean, peakRequestsPerS: peak } = demand
  if (mean !== null && peak === null) {
    const whatToDo = 'Leave it out, or give peakRequestsPerS'
    const message = 'meanRequestsPerS belongs to peakRequestsPerS'
    found.push({ path: 'demand.meanRequestsPerS', code: 'field-unused', message, whatToDo })
  }
  if (mean !== null && peak !== null && mean > peak) {
    const message = `The mean ${mean} is above the peak ${peak}`
    found.push({ path: 'demand.meanRequestsPerS', code: 'bounds-inverted', message, whatToDo: 'Order them' })
  }
  if (demand.thinkTimeS !== null && demand.users === null) {
    const message = 'thinkTimeS belongs to users'
    found.push({
      path: 'demand.thinkTimeS',
      code: 'field-unused',
      message,
      whatToDo: 'Leave it out, or give users',
    })
  }
  if (demand.users !== null && demand.thinkTimeS === null) {
    const message = 'Users without a think time are no demand: how often they ask is unknown'
    found.push({
      path: 'demand.thinkTimeS',
      code: 'missing-field',
      message,
      whatToDo: 'Give thinkTimeS (0 is allowed)',
    })
  }
  return found
}

function emptyDemand(demand: PlanDemand): Violation[] {
  const { peakRequestsPerS: peak, hourlyRequestsPerS: hourly } = demand
  const path = peak === 0 ? 'demand.peakRequestsPerS' : 'demand.hourlyRequestsPerS'
  if (peak !== 0 && !hourly?.every((rate) => rate === 0)) return []
  return [
    { path, code: 'demand-empty', message: 'There is no demand at all', whatToDo: 'Give a rate above 0' },
  ]
}

function classViolations(demand: PlanDemand): Violation[] {
  return (demand.classes ?? []).flatMap((one, index) => {
    const path = `demand.classes[${index}]`
    return [
      ...lengthViolations(`${path}.inputTokens`, one.inputTokens),
      ...lengthViolations(`${path}.outputTokens`, one.outputTokens),
    ]
  })
}

export function hardwareRules({ hardware }: Plan): Violation[] {
  if (hardware === null) return []
  const found: Violation[] = []
  if (hardware.failureDomain === 'node' && hardware.gpusPerNode === null) {
    found.push({
      path: 'hardware.gpusPerNode',
      code: 'missing-field',
      message: 'A failure takes a node, but the size of a node is not known',
      whatToDo: 'Give gpusPerNode',
    })
  }
  return found
}
