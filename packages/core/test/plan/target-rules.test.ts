import { expect, test } from 'vitest'
import { faultsOf } from './faults.ts'

test.each([
  'authorization',
  'Authorization',
  'X-Api-Key',
  'api-key',
  'Cookie',
  'x-auth-token',
  'Proxy-Authorization',
])('target rules: the header %s is a credential', (name) =>
  expect(faultsOf({ target: { headers: { [name]: 'x' } } })).toEqual([
    `target.headers.${name}: secret-in-plan`,
  ]),
)

test.each(['Host', 'content-length', 'Transfer-Encoding', 'connection'])(
  'target rules: %s belongs to the transport',
  (name) =>
    expect(faultsOf({ target: { headers: { [name]: 'x' } } })).toEqual([
      `target.headers.${name}: header-refused`,
    ]),
)

test('target rules: a header cannot smuggle a line', () => {
  expect(faultsOf({ target: { headers: { 'x-a': 'b\r\nc: d' } } })).toEqual([
    'target.headers.x-a: header-malformed',
  ])
  expect(faultsOf({ target: { headers: { 'x a': 'b' } } })).toEqual(['target.headers.x a: header-malformed'])
  expect(faultsOf({ target: { headers: { 'x-request-source': 'load, test' } } })).toEqual([])
})

test.each(['model', 'messages', 'prompt', 'stream', 'stream_options', 'max_tokens', 'n', 'ignore_eos'])(
  'target rules: the body field %s is set by the load itself',
  (field) =>
    expect(faultsOf({ target: { extraBody: { [field]: 1 } } })).toEqual([
      `target.extraBody.${field}: body-field-refused`,
    ]),
)

test('target rules: other body fields pass', () => {
  expect(
    faultsOf({ target: { extraBody: { temperature: 0, response_format: { type: 'json_object' } } } }),
  ).toEqual([])
})

test('target rules: custom metrics need names, and names need custom', () => {
  const series = { running: 'my_running' }
  expect(faultsOf({ target: { metricsMapping: { engine: 'custom' } } })).toEqual([
    'target.metricsMapping.series: series-missing',
  ])
  expect(faultsOf({ target: { metricsMapping: { engine: 'vllm', series } } })).toEqual([
    'target.metricsMapping.engine: series-unused',
  ])
  expect(faultsOf({ target: { metricsMapping: { engine: 'custom', series } } })).toEqual([])
})

test('target rules: a deadline longer than the whole request can never strike', () => {
  expect(
    faultsOf({
      target: { deadlines: { firstByteMs: 2_000, totalMs: 1_000, connectMs: 500, betweenEventsMs: 10 } },
    }),
  ).toEqual(['target.deadlines.firstByteMs: bounds-inverted'])
})
