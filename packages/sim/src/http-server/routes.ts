/** Which path does what. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { monotonicMs } from '../engine/monotonic-clock.ts'
import { badRequest, notFound, sendError, sendJson, sendText } from './api-error.ts'
import { answerCall } from './completion-call.ts'
import type { Endpoint } from './completion-request.ts'
import { metricsText } from './metrics-text.ts'
import { realisedBetween } from './realised.ts'
import type { Simulation } from './simulation.ts'
import { tokenizeAnswer } from './tokenize-route.ts'
import { truthAnswer } from './truth-route.ts'

export interface Visit {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly arrivedAtMs: number
  readonly body: string
}

type Route = (simulation: Simulation, visit: Visit) => void

const ROUTES: Readonly<Record<string, Route>> = {
  'POST /v1/chat/completions': (simulation, visit) => complete(simulation, visit, 'chat'),
  'POST /v1/completions': (simulation, visit) => complete(simulation, visit, 'completions'),
  'GET /v1/models': listModels,
  'POST /tokenize': (simulation, { response, body }) => tokenizeAnswer(simulation, response, body),
  'GET /health': (simulation, { response }) => answerReady(simulation, response),
  'GET /version': (_simulation, { response }) => sendJson(response, { version: '0.1.0-loadcurve-sim' }),
  'GET /metrics': showMetrics,
  'POST /sim/control': control,
  'GET /sim/truth': truthAnswer,
  'GET /sim/realised': showRealised,
  'GET /sim/requests': showRequests,
}

export function visitRoute(simulation: Simulation, visit: Visit): void {
  const { message, response, url } = visit
  const route = ROUTES[`${message.method} ${url.pathname}`]
  if (route === undefined)
    sendError(response, notFound(`There is no ${message.method} ${url.pathname} here.`))
  else if (!isAuthorised(simulation, visit)) sendJson(response, { error: 'Unauthorized' }, 401)
  else route(simulation, visit)
}

/** As in vLLM, keys guard /v1 and nothing else. */
function isAuthorised({ options }: Simulation, { message, url }: Visit): boolean {
  if (options.apiKeys.length === 0 || !url.pathname.startsWith('/v1/')) return true
  return options.apiKeys.some((key) => message.headers.authorization === `Bearer ${key}`)
}

function complete(simulation: Simulation, visit: Visit, endpoint: Endpoint): void {
  if (simulation.ready) answerCall(simulation, { ...visit, endpoint })
  else answerReady(simulation, visit.response)
}

function answerReady(simulation: Simulation, response: ServerResponse): void {
  if (simulation.ready) {
    sendText(response, { status: 200, type: 'text/plain', body: '', headers: {} })
    return
  }
  const error = {
    status: 503,
    type: 'ServiceUnavailableError',
    message: 'The server is restarting.',
    param: null,
  }
  sendError(response, error, { 'retry-after': '1' })
}

function listModels({ options, engine }: Simulation, { response }: Visit): void {
  const model = {
    id: options.model,
    object: 'model',
    created: 0,
    owned_by: 'loadcurve-sim',
    root: options.model,
    parent: null,
    max_model_len: options.maxModelTokens,
    sim: {
      preset: options.preset,
      max_num_seqs: engine.maxNumSeqs,
      max_num_batched_tokens: options.law.maxNumBatchedTokens,
    },
  }
  sendJson(response, { object: 'list', data: [model] })
}

function showMetrics({ engine, metrics, options }: Simulation, { response }: Visit): void {
  const body = metricsText(engine, metrics, options.model)
  sendText(response, { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body, headers: {} })
}

/** `{"max_num_seqs": 32}` (or `maxNumSeqs`): the new cap holds after a restart. */
function control(simulation: Simulation, { response, body }: Visit): void {
  const wanted = readControl(body)
  const budget = simulation.options.law.maxNumBatchedTokens ?? Number.POSITIVE_INFINITY
  if (wanted === null || wanted > budget) {
    const message = `max_num_seqs must be a whole number from 1 to max_num_batched_tokens (${budget})`
    sendError(response, badRequest(message, 'max_num_seqs'))
    return
  }
  simulation.restart(wanted)
  sendJson(response, { max_num_seqs: wanted, ready_in_ms: simulation.options.restartMs })
}

function readControl(body: string): number | null {
  try {
    const value = JSON.parse(body)
    // A number in quotes is what `"{batch}"` in a body template becomes.
    const wanted = Number(value?.max_num_seqs ?? value?.maxNumSeqs)
    return Number.isInteger(wanted) && wanted >= 1 ? wanted : null
  } catch {
    return null
  }
}

function showRealised(simulation: Simulation, visit: Visit): void {
  const window = readWindow(visit)
  if (window !== null)
    sendJson(visit.response, { nowMs: monotonicMs(), ...realisedBetween(simulation, window) })
}

function showRequests(simulation: Simulation, visit: Visit): void {
  const window = readWindow(visit)
  if (window === null) return
  const requests = simulation.requests.between(window.sinceMs, window.untilMs)
  sendJson(visit.response, {
    nowMs: monotonicMs(),
    ...window,
    forgotten: simulation.requests.forgotten,
    requests,
  })
}

/** `?since=&until=` in ms of CLOCK_MONOTONIC (`nowMs` of any earlier answer); default: everything. */
function readWindow({ url, response }: Visit): { sinceMs: number; untilMs: number } | null {
  const sinceMs = Number(url.searchParams.get('since') ?? 0)
  const untilMs = Number(url.searchParams.get('until') ?? monotonicMs())
  if (Number.isFinite(sinceMs) && Number.isFinite(untilMs) && sinceMs < untilMs) return { sinceMs, untilMs }
  sendError(response, badRequest('since and until must be numbers, since below until', 'since'))
  return null
}
