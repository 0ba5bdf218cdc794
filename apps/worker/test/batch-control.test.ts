import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { BatchControlError, setServerBatch, withBatch } from '@loadcurve/worker/batch-control'
import { expect, test } from 'vitest'

const control = (batch: object) =>
  resolvePlan({
    name: 'p',
    target: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' },
    sweep: { batch: { control: 'server', levels: [8], ...batch } },
  }).sweep.batch

const urls = { controlUrl: 'http://127.0.0.1:9/control', readyUrl: 'http://127.0.0.1:9/ready' }
const signal = new AbortController().signal

/** A server that answers these statuses, one after another. */
function server(...statuses: (number | null)[]) {
  const asked: { url: string; method: string; json?: unknown }[] = []
  const request = async (question: { url: string; method: string; json?: unknown }) => {
    asked.push(question)
    return asked.length <= statuses.length ? (statuses[asked.length - 1] ?? null) : 200
  }
  return { asked, request }
}

test('batch control: {batch} alone becomes the number, inside a text its digits', () => {
  const body = { max_num_seqs: '{batch}', note: 'batch={batch}', nested: [{ n: '{batch}' }, 1, null, true] }
  expect(withBatch(body, 16)).toEqual({
    max_num_seqs: 16,
    note: 'batch=16',
    nested: [{ n: 16 }, 1, null, true],
  })
})

test('batch control: tells the target, then waits until it is ready', async () => {
  const { asked, request } = server(202, 503, null, 200)
  await setServerBatch({ control: control(urls), batch: 8, request, signal })
  expect(asked).toEqual([
    { url: urls.controlUrl, method: 'POST', json: { max_num_seqs: 8 } },
    ...Array(3).fill({ url: urls.readyUrl, method: 'GET' }),
  ])
})

test('batch control: a refusal, and a target that does not come back, are failures with a code', async () => {
  const set = (batch: object, ...statuses: (number | null)[]) =>
    setServerBatch({
      control: control({ ...urls, ...batch }),
      batch: 8,
      signal,
      request: server(...statuses).request,
    })
  await expect(set({}, 500)).rejects.toThrow('controlUrl answered 500')
  await expect(set({}, null)).rejects.toThrow('controlUrl answered nothing')
  await expect(set({ readyTimeoutS: 0.3 }, 200, 503, 503, 503, 503, 503)).rejects.toThrow(BatchControlError)
})

test('batch control: a cancellation ends the wait', async () => {
  const cancelled = AbortSignal.abort(new Error('cancelled'))
  const { request } = server(200, 503)
  await expect(
    setServerBatch({ control: control(urls), batch: 8, request, signal: cancelled }),
  ).rejects.toThrow()
})
