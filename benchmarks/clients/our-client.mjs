// Our client: the exchange and the recorder of a load process, without its executor.
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { Recorder } from '@loadcurve/loadgen/recorder'
import { StepWindow } from '@loadcurve/loadgen/step-window'
import { openTarget } from '@loadcurve/loadgen/target/agent'
import { exchange } from '@loadcurve/loadgen/target/exchange'

const request = {
  model: 'metronome',
  prompt: { kind: 'messages', messages: [{ role: 'user', content: 'beat' }] },
  outputTokens: 1,
  stream: true,
  ignoreEos: false,
  continuousUsage: false,
  n: 1,
  extraBody: {},
  expectJson: false,
  failOn: [],
}

export function openMetronome({ port, basePath, streams, nowMs, onBatchLag = () => {} }) {
  return openTarget({
    baseUrl: `http://127.0.0.1:${port}${basePath}`,
    endpoint: 'chat',
    apiKey: null,
    headers: {},
    connections: streams,
    policy: parseTargetPolicy('loopback'),
    nowMs,
    onBatchLag,
  })
}

/** Reads one stream to its end: receive instants beside the instants at which the metronome wrote. */
export async function readWithText(target, hooks = {}) {
  const stampsMs = []
  const result = await exchange(
    target,
    { ...request, keepText: true },
    {
      ...hooks,
      onContentEvent: (atMs, tokens) => {
        stampsMs.push(atMs)
        hooks.onContentEvent?.(atMs, tokens)
      },
    },
  )
  const texts = result.text.split(';')
  const stream = stampsMs.map((atMs, index) => ({ atMs, writtenAtMs: writtenAtMs(texts[index]) }))
  return { result, stream }
}

// `<read>:<written>`
function writtenAtMs(text) {
  return Number.parseFloat(text.slice(text.indexOf(':') + 1))
}

/** As under load: events are counted into gaps and bins, the text is not kept. */
export function recordedReader(target, { onEvent }) {
  const window = new StepWindow({
    warmup: { durationMs: 0, endedMin: 0, maxMs: 0 },
    durationMs: 1e9,
    requestsMin: 0,
    maxMs: 1e9,
    drainMaxMs: 0,
  })
  const recorder = new Recorder(window, 'dispatched')
  const asked = { inputTokens: 1, outputTokens: 1, sequences: 1 }
  let index = 0
  return async () => {
    const atMs = target.nowMs()
    const dispatch = { index: index++, phase: window.admit(atMs), scheduledAtMs: atMs }
    const record = recorder.follow(dispatch, asked, atMs)
    const result = await exchange(target, request, {
      onContentEvent: (eventAtMs, tokens) => {
        record.onContentEvent(eventAtMs, tokens)
        onEvent()
      },
    })
    if (result.outcome !== 'ok') throw new Error(`${result.outcome}: ${result.errorText}`)
    record.ended(result, false)
  }
}
