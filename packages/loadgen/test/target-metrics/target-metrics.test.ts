import { readFileSync } from 'node:fs'
import type { TargetReading } from '@loadcurve/core/metrics/sample'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { type RunningSimulator, startSimulator } from '@loadcurve/sim/http-server/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openVisitor, type Visitor } from '../../src/target/visitor.ts'
import {
  customMapping,
  type ENGINES,
  recogniseEngine,
  shippedMapping,
} from '../../src/target-metrics/mapping.ts'
import { pollTargetMetrics } from '../../src/target-metrics/poll.ts'
import { parsePrometheusText, parseSelector } from '../../src/target-metrics/prometheus-text.ts'
import { targetReading } from '../../src/target-metrics/reading.ts'
import { plain, scriptedServer } from '../target/scripted-server.ts'

describe('Prometheus text', () => {
  const rows: [line: string, name: string, labels: object, value: number][] = [
    ['a 1', 'a', {}, 1],
    ['a_total{} 1.5e3', 'a_total', {}, 1500],
    ['vllm:x{engine="0",model_name="a/b"} 2 1700000000000', 'vllm:x', { engine: '0', model_name: 'a/b' }, 2],
    ['x{a="say \\"hi\\"\\\\\\n, {ok}"} -3', 'x', { a: 'say "hi"\\\n, {ok}' }, -3],
    ['x{a="1", b="2",} 4', 'x', { a: '1', b: '2' }, 4],
    ['x{le="+Inf"} +Inf', 'x', { le: '+Inf' }, Infinity],
    ['x NaN', 'x', {}, Number.NaN],
    ['x_bucket{le="1"} 5 # {trace_id="abc"} 0.5', 'x_bucket', { le: '1' }, 5],
  ]
  test.each(rows)('%s', (line, name, labels, value) => {
    expect(parsePrometheusText(`# HELP x y\n# TYPE x gauge\n${line}\r\n# EOF\n`)).toEqual([
      { name, labels, value },
    ])
  })

  test('odd lines cost only themselves', () => {
    expect(parsePrometheusText('<html>\n{a="1"} 1\nx{a=1} 2\nx{a="1" 3\nx\nx one\ny 7')).toEqual([
      { name: 'y', labels: {}, value: 7 },
    ])
  })

  test('a selector is a series without a value', () => {
    expect(parseSelector(' q{engine="0"} ')).toEqual({ name: 'q', labels: { engine: '0' } })
    expect(parseSelector('q 1')).toBeNull()
    expect(parseSelector('')).toBeNull()
  })
})

describe('mapping', () => {
  const pages: [engine: (typeof ENGINES)[number], page: string, reading: Partial<TargetReading>][] = [
    [
      'vllm',
      'vllm:num_requests_running{engine="0"} 3\nvllm:num_requests_running{engine="1"} 4\nvllm:num_requests_waiting{engine="0"} 1\nvllm:kv_cache_usage_perc{engine="0"} 0.5\nvllm:kv_cache_usage_perc{engine="1"} 0.7\nvllm:request_queue_time_seconds_sum 2.5\nvllm:request_queue_time_seconds_count 10\nvllm:num_preemptions_total 2\nvllm:prefix_cache_hits_total 5\nvllm:prefix_cache_queries_total 50',
      {
        running: 7,
        waiting: 1,
        kvUsageFraction: 0.6,
        queueTimeSumS: 2.5,
        queueTimeCount: 10,
        preemptionsTotal: 2,
        prefixCacheHitsTotal: 5,
        prefixCacheQueriesTotal: 50,
      },
    ],
    ['vllm', 'vllm:gpu_cache_usage_perc 0.25', { running: null, kvUsageFraction: 0.25 }],
    [
      'sglang',
      'sglang:num_running_reqs{model_name="m"} 9\nsglang:num_queue_reqs 2\nsglang:token_usage 0.28\nsglang:cached_tokens_total 7\nsglang:prompt_tokens_total 70',
      {
        running: 9,
        waiting: 2,
        kvUsageFraction: 0.28,
        prefixCacheHitsTotal: 7,
        prefixCacheQueriesTotal: 70,
        preemptionsTotal: null,
      },
    ],
    [
      'tgi',
      'tgi_batch_current_size 5\ntgi_queue_size 3\ntgi_request_queue_duration_sum 1.5\ntgi_request_queue_duration_count 6',
      { running: 5, waiting: 3, kvUsageFraction: null, queueTimeSumS: 1.5, queueTimeCount: 6 },
    ],
  ]
  test.each(pages)('%s: recognised and read', (engine, page, reading) => {
    const samples = parsePrometheusText(page)
    expect(recogniseEngine(samples)).toBe(engine)
    expect(targetReading(samples, shippedMapping(engine), 12)).toMatchObject({ atMs: 12, ...reading })
  })

  test.each(['b10309', 'b4748'])('llama.cpp %s: a real page', (version) => {
    const { metrics } = JSON.parse(
      readFileSync(new URL(`../fixtures/llamacpp-${version}-pages.json`, import.meta.url), 'utf8'),
    )
    const samples = parsePrometheusText(metrics)
    expect(recogniseEngine(samples)).toBe('llamacpp')
    const reading = targetReading(samples, shippedMapping('llamacpp'), 0)
    expect(reading).toMatchObject({ running: 0, waiting: 0, queueTimeSumS: null, preemptionsTotal: null })
    // Build 10309 does not tell any more.
    expect(reading.kvUsageFraction === null).toBe(version === 'b10309')
  })

  test('custom: label matchers choose among series, and null is unknown', () => {
    const mapping = customMapping({
      running: 'jobs{state="on"}',
      waiting: 'jobs{state="off"}',
      kvUsage: null,
      queueTime: null,
      preemptions: null,
      prefixCacheHits: null,
      prefixCacheQueries: null,
    })
    const samples = parsePrometheusText(
      'jobs{state="on",pool="a"} 2\njobs{state="on",pool="b"} 3\njobs{state="off"} 4',
    )
    expect(targetReading(samples, mapping, 0)).toMatchObject({
      running: 5,
      waiting: 4,
      kvUsageFraction: null,
    })
    expect(() =>
      customMapping({
        running: '{',
        waiting: null,
        kvUsage: null,
        queueTime: null,
        preemptions: null,
        prefixCacheHits: null,
        prefixCacheQueries: null,
      }),
    ).toThrow('{')
  })
})

describe('poll', () => {
  let sim: RunningSimulator
  const visitors: Visitor[] = []
  beforeAll(async () => {
    sim = await startSimulator({ preset: 'small', speed: 10 })
  })
  afterAll(async () => {
    for (const visitor of visitors) await visitor.close()
    await sim.close()
  })
  function visitor(): Visitor {
    const opened = openVisitor({
      policy: parseTargetPolicy(''),
      baseUrl: `${sim.url}/v1`,
      apiKey: null,
      headers: {},
    })
    visitors.push(opened)
    return opened
  }
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  test('the simulator is read as vLLM, at the interval', async () => {
    const readings: TargetReading[] = []
    const poll = pollTargetMetrics({
      visitor: visitor(),
      url: `${sim.url}/metrics`,
      mapping: null,
      intervalMs: 20,
      nowMs: () => performance.now(),
      onReading: (reading) => readings.push(reading),
    })
    await until(() => readings.length >= 3)
    poll.stop()
    expect(readings[0]).toMatchObject({ running: 0, waiting: 0, preemptionsTotal: 0 })
    expect(readings.map(({ atMs }) => atMs)).toEqual(readings.map(({ atMs }) => atMs).sort((a, b) => a - b))
    expect(poll.counts()).toMatchObject({ failed: 0, lastError: null })
  })

  test('a poll that hangs is given up, the ones behind it are left out, and stopping does not wait', async () => {
    const server = await scriptedServer(() => [])
    const poll = pollTargetMetrics({
      visitor: visitor(),
      url: `${server.baseUrl}/metrics`,
      mapping: null,
      intervalMs: 10,
      timeoutMs: 100,
      nowMs: () => performance.now(),
      onReading: () => {},
    })
    await until(() => poll.counts().failed >= 1)
    expect(poll.counts()).toMatchObject({ readings: 0, lastError: 'timeout' })
    expect(poll.counts().skipped).toBeGreaterThan(3)
    const startedAtMs = performance.now()
    poll.stop()
    expect(performance.now() - startedAtMs).toBeLessThan(5)
    await server.close()
  })

  test.each([
    ['a status', plain(401, 'text/plain', 'no'), 'http_401'],
    ['a page of nobody', plain(200, 'text/plain', 'x 1\n'), 'engine_not_recognised'],
  ])('%s is a failed poll with its reason', async (_fact, answer, lastError) => {
    const server = await scriptedServer(() => answer)
    const poll = pollTargetMetrics({
      visitor: visitor(),
      url: `${server.baseUrl}/metrics`,
      mapping: null,
      intervalMs: 1000,
      nowMs: () => performance.now(),
      onReading: () => {},
    })
    await until(() => poll.counts().failed >= 1)
    poll.stop()
    expect(poll.counts()).toMatchObject({ readings: 0, failed: 1, lastError })
    await server.close()
  })
})
