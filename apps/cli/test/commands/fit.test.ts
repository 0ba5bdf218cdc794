/** `loadcurve fit` in this process: answers on measured tables, refusals on bad ones, complaints about unreadable ones. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { expect, test } from 'vitest'
import { runInProcess } from '../run.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const example = (name: string) =>
  fileURLToPath(new URL(`../../../../examples/tables/${name}`, import.meta.url))

async function fitJson(path: string, ...options: string[]) {
  const { code, stdout, stderr } = await runInProcess(['fit', path, ...options, '--json'])
  return { code, stderr, answer: JSON.parse(stdout) as Recommendation }
}

const fitText = (stdin: string, ...options: string[]) => runInProcess(['fit', '-', ...options], { stdin })

const nim = [fixture('nim-llama33-70b-h100.csv'), '--input-tokens', '5000', '--output-tokens', '500'] as const

test('fit: a clean table is answered, with exactly the recommendation on stdout', async () => {
  const { code, answer, stderr } = await fitJson(...nim, '--slo', 'tpot:mean<60')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(answer).toMatchObject({ schemaVersion: 1, verdict: 'recommended', reasons: [] })
  // The reference fit, 17.66 + 0.879 b, reaches 60 ms at b = 48.2; 98 % of the throughput there are reached at 44.9.
  const [low, high] = answer.batch.interval ?? [0, 0]
  expect(low).toBeLessThanOrEqual(45)
  expect(high).toBeGreaterThanOrEqual(45)
  expect(high - low).toBeLessThanOrEqual(0.1 * 45)
  expect(answer.batch.recommended).toBe(low)
  expect(answer.batch.limitedBy).toMatch(/^slo:tpot:/)
  // Published: 85.0 to 85.6 requests in decode at 100 to 250 clients.
  expect(answer.batch.saturation?.decodeBatch).toBeCloseTo(85.4, 0)
  expect(answer.batch.saturation?.evidence).toBe('client-only')
  expect(answer.littlesLaw.every(({ ratio }) => ratio !== null && Math.abs(ratio - 1) < 0.01)).toBe(true)
})

test('fit: the answer is the same from standard input, in any order of rows, and for one seed always', async () => {
  const text = readFileSync(nim[0], 'utf8')
  const options = ['--input-tokens', '5000', '--output-tokens', '500', '--seed', '7', '--json']
  const [first, again, turned] = await Promise.all([
    fitText(text, ...options),
    fitText(text, ...options),
    fitText(reversedRows(text), ...options),
  ])
  expect(first.code).toBe(0)
  expect(again.stdout).toBe(first.stdout)
  const unlabelled = (stdout: string) => stdout.replaceAll(/"label": "line \d+"/g, '')
  expect(unlabelled(turned.stdout)).toBe(unlabelled(first.stdout))
})

function reversedRows(text: string): string {
  const [header = '', ...rows] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return [header, ...rows.toReversed()].join('\n')
}

test.each([
  ['vultr-super49b-b200.csv', ['2048', '512'], ['too-few-levels', 'concurrency-not-reached']],
  ['vultr-nano30b-b200.csv', ['2048', '512'], ['concurrency-not-reached']],
  ['qwen3-32b-gb200-dirty.csv', ['2000', '500'], ['dirty-sweep']],
  ['qwen35-4b-rtx5090-open-loop.csv', ['1024', '128'], ['too-few-samples']],
])('fit: %s is refused with exit code 5 and its code', async (name, [input = '', output = ''], codes) => {
  const columns = name.includes('open-loop')
    ? ['--column', 'tpot_ms=vllm_tpot_ms', '--column', 'output_tok_s=vllm_out_tok_s']
    : []
  const options = ['--input-tokens', input, '--output-tokens', output, ...columns]
  const { code, answer } = await fitJson(fixture(name), ...options)
  expect(code).toBe(5)
  expect(answer.verdict).toBe('inconclusive')
  expect(answer.batch.recommended).toBeNull()
  for (const expected of codes) expect(answer.reasons).toContain(expected)

  const text = await runInProcess(['fit', fixture(name), ...options])
  expect(text.code).toBe(5)
  expect(text.stdout).toContain('no recommendation')
  for (const expected of codes) expect(text.stdout).toContain(`[${expected}]`)
})

test('fit: a table with one bad level loses that level and says so', async () => {
  const text = readFileSync(nim[0], 'utf8').replace(/^50,.*$/m, '50,834.51,59.73,500')
  const options = ['--input-tokens', '5000', '--output-tokens', '500']
  const { code, stdout } = await fitText(text, ...options)
  expect(code).toBe(0)
  expect(stdout).toContain('N = 50 (line 7) is left out [concurrency-not-reached]')
})

test('fit: a percentile promise on a table of means is refused, and answered for the mean when it is asked so', async () => {
  const asked = await fitJson(...nim, '--slo', 'tpot:p95<60')
  expect(asked.code).toBe(5)
  expect(asked.answer.reasons).toEqual(['percentile-not-in-table'])
  expect((await fitJson(...nim, '--slo', 'tpot:mean<60')).code).toBe(0)
})

test('fit: a table of percentiles is fitted by its medians, and judges gaps but no TPOT that it does not have', async () => {
  const table = [
    fixture('qwen25-l4-percentiles.csv'),
    '--input-tokens',
    '256',
    '--output-tokens',
    '128',
  ] as const
  const gaps = await fitJson(...table, '--slo', 'gap:p95<10')
  expect(gaps.code).toBe(0)
  expect(gaps.answer.caveats).toEqual(expect.arrayContaining(['typical-is-p50', 'tpot-from-gaps']))
  // p95 gaps: 8.9 ms at 16 clients (16.2 requests in decode), 12.0 ms at 32.
  expect(gaps.answer.batch.recommended).toBeLessThanOrEqual(16)
  const tpot = await fitJson(...table, '--slo', 'tpot:p95<10')
  expect(tpot.code).toBe(5)
  expect(tpot.answer.reasons).toContain('percentile-not-in-table')
})

test('fit: a derived throughput makes the Little ratio null, and both answers say so', async () => {
  const path = example('llama-3.1-70b-fp8-h200-tp2.csv')
  const { code, answer, stderr } = await fitJson(path, '--slo', 'tpot:mean<60')
  expect(code).toBe(0)
  expect(answer.littlesLaw.map(({ ratio }) => ratio)).toEqual([null, null, null, null, null, null])
  expect(stderr).toContain("throughput follows from Little's law")
  const text = await runInProcess(['fit', path])
  expect(text.stdout.replaceAll(/\s+/g, ' ')).toContain('not checkable without means and a throughput')
})

test('fit: a real engine with eight slots saturates at 7.7 and gets a batch for p95 TPOT', async () => {
  const { code, answer } = await fitJson(example('llama-44m-cpu-8-slots.csv'), '--slo', 'tpot:p95<30')
  expect(code).toBe(0)
  expect(Math.abs((answer.batch.saturation?.decodeBatch ?? 0) - 7.7)).toBeLessThanOrEqual(0.2)
  // p95 TPOT is 29.8 ms at 5.6 requests in decode, and 26.7 ms at 4.7.
  expect([4, 5]).toContain(answer.batch.recommended)
})

test('fit: a mixture of experts is fitted with its experts given', async () => {
  const path = example('minimax-m2.5-fp4-b200-tp4.csv')
  const { code, answer } = await fitJson(path, '--experts', '256', '--experts-per-token', '8')
  expect(code).toBe(0)
  const byModel = await fitJson(path, '--model', 'MiniMax-M2.5')
  expect(byModel.answer.fit).toEqual(answer.fit)
})

test('fit: what was given wrongly is told all at once, table and options together', async () => {
  const { code, stdout, stderr } = await fitText(
    'concurrency,ttft_ms,tpot_ms\n1,x,5\n2,60,-6',
    '--demand',
    '0',
    '--price',
    '-3',
    '--gpu',
    'H100-SMX',
    '--model',
    'Lama-3.1-8B',
    '--slo',
    'fast',
  )
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n').map((line) => line.split(/: (?:must|")/)[0])).toEqual([
    'error: --slo',
    'error: --demand',
    'error: --gpu',
    'error: --price',
    'error: --model',
    'error: standard input: line 2, column ttft_ms',
    'error: standard input: line 3, column tpot_ms',
    '',
  ])
})

test('fit: a file that is not there, a folder, a missing argument and an unknown option are usage errors', async () => {
  const missing = await runInProcess(['fit', 'nowhere.csv'])
  expect(missing).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: nowhere.csv: there is no such file. Check the path: it counts from the folder that you are in.\n`,
  })
  expect((await runInProcess(['fit', fixture('.')])).stderr).toContain('is a folder, not a file')
  expect((await runInProcess(['fit'])).code).toBe(2)
  expect((await runInProcess(['fit', nim[0], '--nonsense'])).code).toBe(2)
})

test('fit: on a terminal the answer is in colour, elsewhere it is plain', async () => {
  const start = String.fromCharCode(27)
  const display = { colour: true, unicode: true, columns: 100 }
  const refused = ['fit', fixture('qwen3-32b-gb200-dirty.csv'), '--output-tokens', '500']
  expect((await runInProcess(refused, { display })).stdout).toContain(start)
  expect((await runInProcess(refused)).stdout).toMatch(/^[\n -~]*$/)
})
