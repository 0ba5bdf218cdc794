/**
 * A run of 200,000 samples is read like one of 2,000: whatever a page asks for is aggregated, so its size does not
 * depend on how many requests were sent, and an export holds one shard at a time.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testApp } from '../../apps/api/test/support/test-app.ts'
import { exampleRecord, exampleReport } from '../../packages/report/test/support/example-report.ts'
import { largeRun } from './support/large-run.ts'

const LARGE = 200_000
const SMALL = 2_000

let service: Awaited<ReturnType<typeof testApp>>
let url: string
let large: string
let small: string

beforeAll(async () => {
  service = await testApp({ config: { requestsPerMinute: 100_000 } })
  url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const [report, record] = [exampleReport(), exampleRecord(16)]
  large = await largeRun(service.db, { report, record, samples: LARGE })
  small = await largeRun(service.db, { report, record, samples: SMALL })
}, 120_000)
afterAll(() => service?.close())

test.each(['/report?format=json', '/report?format=html', '/steps', '/recommendation', ''])(
  'a large run: GET /v1/runs/ID%s is as small and about as quick as that of a small one',
  async (path) => {
    const of = await read(small + path)
    const other = await read(large + path)
    expect(other.bytes).toBeLessThan(1_000_000)
    // Ids and instants differ, and have the same length.
    expect(Math.abs(other.bytes - of.bytes)).toBeLessThan(200)
    // The same work; the fastest of several, for other work on the machine only ever adds time.
    expect(other.fastestMs / of.fastestMs).toBeLessThan(3)
  },
)

test('a large run: its samples are streamed, all of them, and memory does not grow with their number', async () => {
  const one = await exported(`${large}/samples?step=0`)
  const all = await exported(`${large}/samples`)
  const steps = exampleReport().steps.filter(({ summary }) => summary !== null).length
  expect(all.lines).toBe(one.lines * steps)
  expect(all.lines).toBeGreaterThanOrEqual(LARGE)
  // Nine steps: were they held together, the whole would take nine times the memory of one.
  expect(all.peakBytes / one.peakBytes).toBeLessThan(steps / 2)
}, 60_000)

async function read(path: string): Promise<{ bytes: number; fastestMs: number }> {
  let [bytes, fastestMs] = [0, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 7; round++) {
    const startedAtMs = performance.now()
    const response = await fetch(`${url}/v1/runs/${path}`)
    bytes = (await response.arrayBuffer()).byteLength
    expect(response.status).toBe(200)
    fastestMs = Math.min(fastestMs, performance.now() - startedAtMs)
  }
  return { bytes, fastestMs }
}

/** Reads an export to its end and forgets it; the peak is of what this process, server included, holds meanwhile. */
async function exported(path: string): Promise<{ lines: number; peakBytes: number }> {
  const heldBytes = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = heldBytes()
  const response = await fetch(`${url}/v1/runs/${path}`)
  let [lines, peakBytes] = [0, 0]
  for await (const chunk of response.body ?? []) {
    for (const byte of chunk as Uint8Array) if (byte === 0x0a) lines++
    peakBytes = Math.max(peakBytes, heldBytes() - before)
  }
  return { lines, peakBytes }
}
