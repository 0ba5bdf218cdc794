/** One chat or completions call, from its body to its last byte. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { monotonicMs } from '../engine/monotonic-clock.ts'
import type { Sequence, SequenceRequest } from '../engine/sequence.ts'
import { type ChosenFault, parseFaultHeader } from '../faults/catalogue.ts'
import { answerHeadFault } from '../faults/head-faults.ts'
import { dressFor } from '../faults/stream-dress.ts'
import { type Answer, planAnswer } from './answer.ts'
import type { AnswerContext, AnswerWriter } from './answer-writer.ts'
import { type ApiError, badRequest, notFound, sendError } from './api-error.ts'
import { type CompletionRequest, type Endpoint, readCompletionRequest } from './completion-request.ts'
import { PlainWriter } from './plain-writer.ts'
import type { RequestRecord } from './request-log.ts'
import { resetSocket } from './reset-socket.ts'
import type { Simulation } from './simulation.ts'
import { StreamWire } from './stream-wire.ts'
import { StreamWriter } from './stream-writer.ts'

export interface Call {
  readonly endpoint: Endpoint
  readonly arrivedAtMs: number
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
}

export function answerCall(simulation: Simulation, call: Call): void {
  const number = simulation.nextRequestNumber()
  const fault = chooseFault(simulation, call.message)
  const request = readCompletionRequest(call.endpoint, call.body, simulation.engine.blockTokens)
  if (typeof fault === 'string') sendError(call.response, badRequest(fault, 'x-sim-fault'))
  else if ('status' in request) sendError(call.response, request)
  else admitCall(simulation, call, { request, fault, number })
}

interface Admission {
  readonly request: CompletionRequest
  readonly fault: ChosenFault | null
  readonly number: number
}

function admitCall(simulation: Simulation, call: Call, admission: Admission): void {
  const refusal = refusalOf(simulation, admission.request)
  if (refusal !== null) {
    sendError(call.response, refusal)
    return
  }
  const live = new LiveCall(simulation, call, admission)
  const { fault } = admission
  if (fault === null || !answerHeadFault(fault, call.response, () => live.start())) live.start()
  else live.endByFault()
}

/** What the header asks for, else what the seed draws; a sentence when the header cannot be read. */
function chooseFault(simulation: Simulation, message: IncomingMessage): ChosenFault | string | null {
  const drawn = simulation.drawFault()
  const header = message.headers['x-sim-fault']
  return typeof header === 'string' ? parseFaultHeader(header) : drawn
}

function refusalOf({ options, engine }: Simulation, request: CompletionRequest): ApiError | null {
  if (request.model !== null && request.model !== options.model) {
    return notFound(`The model \`${request.model}\` does not exist.`)
  }
  const outputTokens = request.maxTokens ?? 1
  const tooLong = request.prompts.find(
    ({ tokens }) =>
      tokens + outputTokens > options.maxModelTokens || !engine.fits({ inputTokens: tokens, outputTokens }),
  )
  if (tooLong === undefined) return null
  return badRequest(
    `This model's maximum context length is ${options.maxModelTokens} tokens. However, you requested ` +
      `${outputTokens} output tokens and your prompt contains ${tooLong.tokens} input tokens.`,
    'input_tokens',
  )
}

class LiveCall {
  readonly #simulation: Simulation
  readonly #call: Call
  readonly #request: CompletionRequest
  readonly #fault: ChosenFault | null
  readonly #answers: readonly Answer[]
  readonly #record: RequestRecord
  readonly #writer: AnswerWriter
  #sequences: Sequence[] = []
  #unfinished = 0
  /** Per answer. */
  readonly #lastTokenAtMs: number[] = []
  readonly #abort = () => this.#end('restart')

  constructor(simulation: Simulation, call: Call, { request, fault, number }: Admission) {
    this.#simulation = simulation
    this.#call = call
    this.#request = request
    this.#fault = fault
    this.#answers = this.#planAnswers(number)
    this.#record = this.#newRecord(number)
    this.#writer = this.#newWriter(number)
    simulation.requests.add(this.#record)
    simulation.opened(this.#abort)
    call.response.once('close', () => this.#end('client-gone'))
  }

  start(): void {
    if (this.#record.endedAtMs !== null) return
    this.#writer.open()
    const requests = this.#sequenceRequests()
    this.#unfinished = requests.length
    this.#sequences = this.#simulation.submit(requests)
    if (this.#unfinished === 0) this.#complete()
  }

  /** The head fault took the answer over. */
  endByFault(): void {
    if (this.#call.response.writableEnded || this.#call.response.destroyed) this.#end('fault')
  }

  /** One per answer that has tokens at all. */
  #sequenceRequests(): Omit<SequenceRequest, 'arrivedAtMs'>[] {
    return this.#answers.flatMap((answer, choice) => {
      const prompt = this.#request.prompts[Math.floor(choice / this.#request.n)]
      if (prompt === undefined || answer.tokens === 0) return []
      const onToken = (sequence: Sequence) => this.#onToken(choice, sequence)
      const { tokens: inputTokens, prefixHashes } = prompt
      return [{ inputTokens, outputTokens: answer.tokens, prefixHashes, onToken }]
    })
  }

  #onToken(choice: number, sequence: Sequence): void {
    const nowMs = monotonicMs()
    const { metrics } = this.#simulation
    if (sequence.producedTokens === 1) {
      metrics.ttft.observe((nowMs - sequence.arrivedAtMs) / 1000)
      this.#record.firstTokenAtMs ??= nowMs
    } else metrics.gap.observe((nowMs - (this.#lastTokenAtMs[choice] ?? nowMs)) / 1000)
    this.#lastTokenAtMs[choice] = nowMs
    this.#record.lastTokenAtMs = nowMs
    this.#writer.token(choice, sequence.producedTokens - 1)
    if (sequence.state !== 'finished') return
    this.#noteFinished(choice, sequence, nowMs)
    if (--this.#unfinished === 0) this.#complete()
  }

  #noteFinished(choice: number, sequence: Sequence, nowMs: number): void {
    const { metrics } = this.#simulation
    const { arrivedAtMs, admittedAtMs, firstTokenAtMs, outputTokens } = sequence
    const reason = this.#answers[choice]?.finishReason ?? 'stop'
    metrics.finished.set(reason, (metrics.finished.get(reason) ?? 0) + 1)
    metrics.e2e.observe((nowMs - arrivedAtMs) / 1000)
    if (admittedAtMs === null || firstTokenAtMs === null) return
    metrics.queue.observe((admittedAtMs - arrivedAtMs) / 1000)
    metrics.prefill.observe((firstTokenAtMs - admittedAtMs) / 1000)
    metrics.decode.observe((nowMs - firstTokenAtMs) / 1000)
    if (outputTokens > 1) metrics.tpot.observe((nowMs - firstTokenAtMs) / (outputTokens - 1) / 1000)
  }

  #complete(): void {
    if (this.#record.endedAtMs !== null) return
    this.#writer.finish()
    this.#end('ok')
  }

  #end(outcome: RequestRecord['outcome']): void {
    if (this.#record.endedAtMs !== null) return
    this.#record.endedAtMs = monotonicMs()
    this.#record.outcome = outcome
    this.#simulation.ended(this.#abort)
    for (const sequence of this.#sequences)
      if (sequence.state !== 'finished') this.#simulation.cancel(sequence)
    if (outcome === 'restart') resetSocket(this.#call.response.socket)
  }

  #planAnswers(number: number): Answer[] {
    const { options } = this.#simulation
    const { prompts, n } = this.#request
    return prompts.flatMap(({ tokens }, at) =>
      Array.from({ length: n }, (_, copy) =>
        planAnswer({
          request: this.#request,
          promptTokens: tokens,
          maxModelTokens: options.maxModelTokens,
          answerTokens: options.answerTokens,
          reasons: this.#header('x-sim-reasoning') !== null,
          fault: this.#fault,
          // A number per answer of this server's life; spaced so that no two answers share it.
          seed: options.seed + 1 + number * 1024 + at * n + copy,
        }),
      ),
    )
  }

  #newWriter(number: number): AnswerWriter {
    const { response } = this.#call
    const context = this.#context(number)
    if (!this.#request.stream) return new PlainWriter(context, response)
    const dress = dressFor(this.#fault)
    return new StreamWriter(context, new StreamWire(response, dress, this.#simulation.outbox), dress, () =>
      this.#end('fault'),
    )
  }

  #context(number: number): AnswerContext {
    const { options } = this.#simulation
    const chat = this.#request.endpoint === 'chat'
    return {
      id: `${chat ? 'chatcmpl' : 'cmpl'}-sim-${options.seed}-${number}`,
      createdS: Math.floor(Date.now() / 1000),
      model: options.model,
      request: this.#request,
      answers: this.#answers,
      promptTokens: this.#promptTokens(),
      cachedTokens: () =>
        options.law.prefixCache
          ? this.#sequences.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0)
          : null,
      reasoningField: this.#header('x-sim-reasoning') === 'reasoning' ? 'reasoning' : 'reasoning_content',
      stamped: this.#header('x-sim-stamp') === '1',
    }
  }

  #newRecord(number: number): RequestRecord {
    return {
      id: `${number}`,
      arrivedAtMs: this.#call.arrivedAtMs,
      inputTokens: this.#promptTokens(),
      outputTokens: this.#answers.reduce((sum, { tokens }) => sum + tokens, 0),
      sequences: this.#answers.length,
      headers: ownHeaders(this.#call.message),
      firstTokenAtMs: null,
      lastTokenAtMs: null,
      endedAtMs: null,
      outcome: 'open',
      fault: this.#fault?.name ?? null,
    }
  }

  #promptTokens(): number {
    return this.#request.prompts.reduce((sum, { tokens }) => sum + tokens, 0)
  }

  #header(name: string): string | null {
    const value = this.#call.message.headers[name]
    return typeof value === 'string' ? value : null
  }
}

function ownHeaders({ headers }: IncomingMessage): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (name === 'x-request-id' || name.startsWith('x-loadcurve-')))
      kept[name] = value
  }
  return kept
}
