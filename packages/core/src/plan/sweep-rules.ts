/** Contradictions inside `plan.sweep`, and between it and the budgets. */
import { leastWork } from './least-work.ts'
import type { Plan } from './schema.ts'
import type { Violation } from './violation.ts'

export function batchRules({ sweep: { batch }, target }: Plan): Violation[] {
  if (batch.control === 'none') {
    if (batch.levels.length === 0) return []
    return [
      batchFault(
        'levels',
        'batch-levels-unused',
        'Nothing sets the batch',
        'Set control to server or request',
      ),
    ]
  }
  const found = batch.control === 'server' ? serverControl(batch) : requestControl(target.endpoint)
  if (batch.levels.length > 0) return found
  const message = `control is ${batch.control}, but there are no levels`
  return [batchFault('levels', 'batch-levels-missing', message, 'List batch sizes'), ...found]
}

function requestControl(endpoint: string): Violation[] {
  if (endpoint === 'completions') return []
  const message = 'Only completions take several prompts in a request'
  return [batchFault('control', 'batch-needs-completions', message, 'Set target.endpoint to completions')]
}

function serverControl({ controlUrl, readyUrl, controlBody }: Plan['sweep']['batch']): Violation[] {
  const found: Violation[] = []
  if (controlUrl === null) {
    const message = 'The server’s batch limit needs a URL that sets it'
    found.push(batchFault('controlUrl', 'control-url-missing', message, 'Give controlUrl'))
  }
  if (readyUrl === null) {
    found.push(
      batchFault(
        'readyUrl',
        'ready-url-missing',
        'A changed server must say when it is ready',
        'Give readyUrl',
      ),
    )
  }
  if (!(JSON.stringify(controlBody) ?? '').includes('{batch}')) {
    const message = 'The body does not carry the level'
    found.push(batchFault('controlBody', 'placeholder-missing', message, 'Put {batch} where it belongs'))
  }
  return found
}

const batchFault = (field: string, code: string, message: string, whatToDo: string): Violation => ({
  path: `sweep.batch.${field}`,
  code,
  message,
  whatToDo,
})

export function levelRules({ sweep }: Plan): Violation[] {
  if (sweep.mode === 'adaptive' || sweep.concurrency.length + sweep.ratesPerS.length > 0) return []
  return [
    {
      path: 'sweep.concurrency',
      code: 'no-levels',
      message: 'The sweep has no levels',
      whatToDo: 'List concurrency or ratesPerS, or set mode to adaptive',
    },
  ]
}

export function stepRules({ sweep }: Plan): Violation[] {
  const found: Violation[] = []
  if (sweep.step.minDurationS > sweep.step.maxDurationS) {
    found.push({
      path: 'sweep.step.minDurationS',
      code: 'bounds-inverted',
      message: `minDurationS ${sweep.step.minDurationS} is above maxDurationS ${sweep.step.maxDurationS}`,
      whatToDo: 'Order them',
    })
  }
  if (sweep.adaptive.start > sweep.adaptive.concurrencyMax) {
    found.push({
      path: 'sweep.adaptive.start',
      code: 'bounds-inverted',
      message: `start ${sweep.adaptive.start} is above concurrencyMax ${sweep.adaptive.concurrencyMax}`,
      whatToDo: 'Order them',
    })
  }
  return found
}

/** A budget that not even the shortest run can keep is refused now, not after an hour of load. */
export function limitRules(plan: Plan): Violation[] {
  const least = leastWork(plan)
  const { limits } = plan
  const needs = [
    { key: 'maxRequests', has: limits.maxRequests, needed: least.requests },
    { key: 'maxOutputTokens', has: limits.maxOutputTokens, needed: least.outputTokens },
    { key: 'maxDurationS', has: limits.maxDurationS, needed: least.durationS },
  ]
  return needs
    .filter(({ has, needed }) => has < needed)
    .map(({ key, has, needed }) => ({
      path: `limits.${key}`,
      code: 'budget-impossible',
      message: `${key} is ${has}, but ${least.steps} steps need at least ${Math.ceil(needed)}`,
      whatToDo: 'Raise it, or measure fewer or shorter steps',
    }))
}
