/** Contradictions inside `plan.target`, and what a plan may not carry. */
import type { Plan } from './schema.ts'
import type { Violation } from './violation.ts'

const SECRET_HEADERS = /^(proxy-)?authorization$|^cookie$|(^|[-_])(api[-_]?key|auth|token|secret|password)$/i
const TRANSPORT_HEADERS = [
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
const OWN_BODY_FIELDS = ['model', 'messages', 'prompt', 'stream', 'stream_options', 'max_tokens', 'n']
const OWN_BODY_FIELDS_TOO = ['max_completion_tokens', 'min_tokens', 'ignore_eos']

export function headerRules({ target }: Plan): Violation[] {
  return [...Object.entries(target.headers).flatMap(headerViolation), ...bodyViolations(target.extraBody)]
}

export function metricsRules({ target }: Plan): Violation[] {
  const { metricsMapping, deadlines } = target
  const found: Violation[] = []
  if (metricsMapping.engine === 'custom' && metricsMapping.series === null) {
    found.push({
      path: 'target.metricsMapping.series',
      code: 'series-missing',
      message: 'The metrics engine is custom, but no series are named',
      whatToDo: 'Name the series that the server offers, or choose an engine',
    })
  }
  if (metricsMapping.engine !== 'custom' && metricsMapping.series !== null) {
    found.push({
      path: 'target.metricsMapping.engine',
      code: 'series-unused',
      message: `Series are named, but the engine is ${metricsMapping.engine}, which brings its own names`,
      whatToDo: 'Set engine to custom, or leave series out',
    })
  }
  for (const key of ['connectMs', 'firstByteMs', 'betweenEventsMs'] as const) {
    if (deadlines[key] > deadlines.totalMs) {
      found.push({
        path: `target.deadlines.${key}`,
        code: 'bounds-inverted',
        message: `${key} (${deadlines[key]}) is longer than totalMs (${deadlines.totalMs}), so it can never strike`,
        whatToDo: 'Lower it, or raise totalMs',
      })
    }
  }
  return found
}

function headerViolation([name, value]: [string, string]): Violation[] {
  const path = `target.headers.${name}`
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    const message = `The header "${name}" has a name or value that HTTP does not allow`
    return [
      { path, code: 'header-malformed', message, whatToDo: 'Use letters, digits and dashes; no line breaks' },
    ]
  }
  if (SECRET_HEADERS.test(name)) {
    const message = `The header ${name} carries a credential, and plans are stored and shown`
    const whatToDo = 'Put the key into the worker’s environment and name it in target.apiKeyRef'
    return [{ path, code: 'secret-in-plan', message, whatToDo }]
  }
  if (TRANSPORT_HEADERS.includes(name.toLowerCase())) {
    const message = `The header ${name} belongs to the transport`
    return [{ path, code: 'header-refused', message, whatToDo: 'Leave it out; the client sets it' }]
  }
  return []
}

function bodyViolations(extraBody: Readonly<Record<string, unknown>>): Violation[] {
  const taken = [...OWN_BODY_FIELDS, ...OWN_BODY_FIELDS_TOO].filter((field) => field in extraBody)
  return taken.map((field) => ({
    path: `target.extraBody.${field}`,
    code: 'body-field-refused',
    message: `${field} is set by the load itself; changing it would make the measurement mean something else`,
    whatToDo: 'Leave it out, and use the fields of target, workload and sweep.batch',
  }))
}
