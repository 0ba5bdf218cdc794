/** Can the server be reached, does it know the key, does it serve the model? Asked of its list of models. */

import type { Answer, Visitor } from '../target/visitor.ts'
import { asObject, asText, parseJson } from '../wire/json.ts'
import { blocker, type Finding, passed, unanswered, warning } from './finding.ts'

export interface ReachOptions {
  readonly visitor: Visitor
  readonly baseUrl: string
  readonly model: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** Findings about the server's door; the first blocking one ends preflight. */
export async function checkReach(options: ReachOptions): Promise<Finding[]> {
  const url = `${options.baseUrl.replace(/\/+$/, '')}/models`
  const { visitor, timeoutMs, signal } = options
  const answer = await visitor.visit({ url, timeoutMs, ...(signal === undefined ? {} : { signal }) })
  if (!answer.ok) return [unanswered(url, answer)]
  const reached = passed('reachable', `${url} answers.`)
  return [reached, ...readModels(url, answer, options.model)]
}

function readModels(url: string, answer: Answer, model: string): Finding[] {
  if (answer.status === 401 || answer.status === 403) return [wrongKey(url, answer.status)]
  if (answer.status >= 300 && answer.status < 400) {
    return [
      blocker(
        'redirect_not_followed',
        `${url} redirects to another address (status ${answer.status}).`,
        'Use the URL that the server redirects to; redirects are never followed.',
      ),
    ]
  }
  if (answer.status === 503) {
    return [
      blocker(
        'unavailable',
        `${url} says that the server is not ready (status 503).`,
        'Wait until it has loaded its model.',
      ),
    ]
  }
  const page = asObject(parseJson(answer.text))
  if (page === null && /^\s*</.test(answer.text)) {
    return [
      blocker(
        'not_json',
        `${url} answers with a web page (status ${answer.status}), not with JSON.`,
        'The base URL leads to a web page or proxy, not to an inference server: correct host, port and path.',
      ),
    ]
  }
  return [checkModel(url, answer.status, page?.['data'], model)]
}

function wrongKey(url: string, status: number): Finding {
  return blocker(
    'unauthorized',
    `${url} refuses the key (status ${status}).`,
    'Name the right key in target.apiKeyRef and put it into LOADCURVE_TARGET_KEY_<NAME>.',
  )
}

function checkModel(url: string, status: number, data: unknown, model: string): Finding {
  if (status !== 200 || !Array.isArray(data)) {
    return warning(
      'models-not-listed',
      `${url} lists no models (status ${status}), so the model name cannot be checked beforehand.`,
      'If the next request fails with status 404, correct the base URL (it ends in /v1 on most servers) or the model name.',
    )
  }
  const ids = data.flatMap((entry) => namesOf(entry))
  if (ids.includes(model)) return passed('model-known', `The server serves ${model}.`)
  const some = ids.slice(0, 5).join(', ')
  return blocker(
    'model-unknown',
    `The server does not serve "${model}"; it serves ${some || 'no model'}.`,
    'Use one of the names that the server lists as target.model.',
  )
}

function namesOf(entry: unknown): string[] {
  const model = asObject(entry)
  const aliases = Array.isArray(model?.['aliases']) ? model['aliases'].map(asText) : []
  return [asText(model?.['id']), ...aliases].filter((name) => name !== '')
}
