import { afterEach, beforeEach, expect, test } from 'vitest'
import { monotonicMs } from '../../src/engine/monotonic-clock.ts'
import { type RunningSimulator, startSimulator } from '../../src/http-server/server.ts'

let sim: RunningSimulator
beforeEach(async () => {
  sim = await startSimulator({ preset: 'small', speed: 10, restartMs: 600 })
})
afterEach(() => sim.close())

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what is tested
async function get(path: string): Promise<any> {
  return await (await fetch(sim.url + path)).json()
}

function chat(body: object, headers: Record<string, string> = {}): Promise<Response> {
  const messages = [{ role: 'user', content: 'Hi.' }]
  return fetch(`${sim.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ messages, ignore_eos: true, ...body }),
  })
}

function control(body: unknown): Promise<Response> {
  return fetch(`${sim.url}/sim/control`, { method: 'POST', body: JSON.stringify(body) })
}

test('control: a new cap takes a restart, during which the server is not ready', async () => {
  expect((await control({ max_num_seqs: '4' })).status).toBe(200)
  expect((await fetch(`${sim.url}/health`)).status).toBe(503)
  expect((await chat({ max_tokens: 2 })).status).toBe(503)
  while ((await fetch(`${sim.url}/health`)).status !== 200);
  expect((await get('/v1/models')).data[0].sim.max_num_seqs).toBe(4)
  expect((await get('/sim/truth?concurrency=8')).law.maxNumSeqs).toBe(4)
  for (const wrong of [{}, { max_num_seqs: 0 }, { max_num_seqs: 'x' }, { max_num_seqs: 4096 }]) {
    expect((await control(wrong)).status).toBe(400)
  }
})

test('control: a restart cuts what is running', async () => {
  const response = await chat({ max_tokens: 2000, stream: true })
  const reading = response.text()
  await control({ max_num_seqs: 8 })
  await expect(reading).rejects.toThrow()
  expect((await get('/sim/requests')).requests[0].outcome).toBe('restart')
  expect(sim.simulation.engine.runningCount).toBe(0)
})

test('requests: each is listed with its instants, lengths and the headers that name it', async () => {
  const sinceMs = monotonicMs()
  await (await chat({ max_tokens: 3 }, { 'x-request-id': 'r1', 'x-loadcurve-attempt': '2' })).text()
  const untilMs = monotonicMs()
  await (await chat({ max_tokens: 3 })).text()
  const { requests } = await get(`/sim/requests?since=${sinceMs}&until=${untilMs}`)
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({
    inputTokens: 8,
    outputTokens: 3,
    outcome: 'ok',
    fault: null,
    headers: { 'x-request-id': 'r1', 'x-loadcurve-attempt': '2' },
  })
  const { arrivedAtMs, firstTokenAtMs, lastTokenAtMs, endedAtMs } = requests[0]
  const instants = [sinceMs, arrivedAtMs, firstTokenAtMs, lastTokenAtMs, endedAtMs, untilMs]
  expect(instants).toEqual([...instants].sort((a, b) => a - b))
})

test('requests: a client that leaves frees its slot', async () => {
  const leaving = new AbortController()
  const response = await fetch(`${sim.url}/v1/completions`, {
    method: 'POST',
    body: JSON.stringify({ prompt: 'a', max_tokens: 5000, ignore_eos: true, stream: true }),
    signal: leaving.signal,
  })
  expect(sim.simulation.engine.runningCount).toBe(1)
  leaving.abort()
  await response.text().catch(() => {})
  while (sim.simulation.engine.runningCount > 0) await get('/version')
  expect((await get('/sim/requests')).requests[0].outcome).toBe('client-gone')
})

test('realised: tokens, steps and batch of a window are counted at the writes', async () => {
  const { nowMs } = await get('/sim/realised')
  const body = JSON.stringify({ prompt: ['a', 'b', 'c'], max_tokens: 30, ignore_eos: true })
  await (await fetch(`${sim.url}/v1/completions`, { method: 'POST', body })).text()
  const three = await get(`/sim/realised?since=${nowMs}`)
  // One request of three sequences: one step that prefills all, then 29 that decode all.
  expect(three.steps).toMatchObject({ steps: 30, tokens: 90, complete: true })
  expect(three.requests).toBe(1)
  // (12 + 2.1) ms a decode step, (12 + 3 * 2.02) ms the prefill step; noise is 1 % a step and 2 % a prompt.
  expect(Math.abs(three.decodeBatchMean - (3 * 29 * 14.1) / (29 * 14.1 + 18.06))).toBeLessThan(0.01)
  expect(three.tpotMeanMs).toBeNull()
  await (await chat({ max_tokens: 30 })).text()
  const one = await get(`/sim/realised?since=${three.nowMs}`)
  const lateMs = one.steps.latenessMs.max
  expect(Math.abs(one.tpotMeanMs - 1.27)).toBeLessThan(0.01 * 1.27 + (lateMs + 1) / 29)
  expect((await fetch(`${sim.url}/sim/realised?since=x`)).status).toBe(400)
})

test('metrics: the names, labels and sums of vLLM', async () => {
  await (await chat({ max_tokens: 5 })).text()
  const text = await (await fetch(`${sim.url}/metrics`)).text()
  const value = (name: string) =>
    Number(new RegExp(`^${name}\\{[^}]*\\} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  expect(value('vllm:num_requests_running')).toBe(0)
  expect(value('vllm:num_requests_waiting')).toBe(0)
  expect(value('vllm:kv_cache_usage_perc')).toBe(0)
  expect(value('vllm:generation_tokens_total')).toBe(5)
  expect(value('vllm:prompt_tokens_total')).toBe(8)
  expect(value('vllm:prefix_cache_queries_total')).toBe(8)
  expect(value('vllm:num_preemptions_total')).toBe(0)
  for (const name of [
    'time_to_first_token_seconds',
    'request_queue_time_seconds',
    'e2e_request_latency_seconds',
  ]) {
    expect(value(`vllm:${name}_count`)).toBe(1)
    expect(text).toContain(`vllm:${name}_bucket{le="+Inf",engine="0",model_name="sim/small"} 1`)
  }
  expect(value('vllm:inter_token_latency_seconds_count')).toBe(4)
  expect(text).toContain(
    'vllm:request_success_total{engine="0",model_name="sim/small",finished_reason="length"} 1',
  )
})

test('truth: closed loop at the levels asked for, and a rate when there is an objective', async () => {
  const slo = `slo=${encodeURIComponent('ttft:p95<100')}`
  const truth = await get(`/sim/truth?concurrency=1,32&inputTokens=100&outputTokens=20&${slo}`)
  expect(truth.closedLoop.map(({ concurrency }: { concurrency: number }) => concurrency)).toEqual([1, 32])
  expect(truth.closedLoop[0].source).toBe('closed-form')
  expect(truth.openLoop.ratePerS).toBeGreaterThan(truth.closedLoop[0].requestsPerS)
  expect(truth.openLoop.ratePerS).toBeLessThan(truth.saturated.requestsPerS)
  for (const query of ['concurrency=0', 'outputTokens=x', 'slo=ttft', 'arrivalCv=-1', 'inputTokens=9000']) {
    expect((await fetch(`${sim.url}/sim/truth?${query}`)).status).toBe(400)
  }
})

test('truth: what needs a virtual run is refused while requests are open', async () => {
  const open = await chat({ max_tokens: 4000, stream: true })
  const slo = encodeURIComponent('ttft:p95<100')
  expect((await fetch(`${sim.url}/sim/truth?slo=${slo}`)).status).toBe(409)
  expect((await fetch(`${sim.url}/sim/truth`)).status).toBe(200)
  await open.body?.cancel()
})

test('server: unknown paths and targets that are no URL are answered, not fatal', async () => {
  expect((await fetch(`${sim.url}/nowhere`)).status).toBe(404)
  expect((await fetch(`${sim.url}//`)).status).toBe(400)
  expect((await fetch(`${sim.url}/health`)).status).toBe(200)
})
