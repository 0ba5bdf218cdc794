/** Every kind of bad table: a message with line and column, exit code 2 or 5, and never a stack. */
import { expect, test } from 'vitest'
import { runInProcess } from '../run.ts'

const header = 'concurrency,ttft_ms,tpot_ms,throughput_tok_s'
const good = ['1,51,12.6,75', '8,63,15.8,486', '16,70,19.9,774', '32,88,27.9,1112', '64,230,43,1412']
const lengths = ['--input-tokens', '500', '--output-tokens', '100']

async function fit(stdin: string | Buffer, ...options: string[]) {
  const outcome = await runInProcess(['fit', '-', ...lengths, ...options], { stdin })
  expect(outcome.stderr + outcome.stdout).not.toMatch(/\n\s+at /)
  expect(outcome.stderr).not.toContain('bug')
  return outcome
}

/** The good table with its second row (line 3) replaced. */
const withRow = (row: string) => [header, good[0], row, ...good.slice(2)].join('\n')

test('fit, bad input: the good table that the others are made from is answered', async () => {
  expect((await fit([header, ...good].join('\n'))).code).toBe(0)
})

test.each([
  ['an empty file', '', /line 1: is empty/],
  ['only comments', '# a\n# b\n', /line 1: is empty/],
  ['a header alone', header, /line 2, column concurrency: has a header but no rows/],
  ['a missing column', 'concurrency,ttft_ms\n1,51', /line 1, column tpot_ms: is missing/],
  ['text in a number', withRow('8,fast,15.8,486'), /line 3, column ttft_ms: must be a number, got "fast"/],
  ['NaN', withRow('8,63,NaN,486'), /line 3, column tpot_ms: must be a number, got "NaN"/],
  ['a negative', withRow('8,63,-15.8,486'), /line 3, column tpot_ms: must be more than zero .*, got -15.8/],
  [
    'zero throughput',
    withRow('8,63,15.8,0'),
    /line 3, column throughput_tok_s: must be more than zero .*, got 0/,
  ],
  ['zero concurrency', withRow('0,63,15.8,486'), /line 3, column concurrency: must be a whole number/],
  ['a short row', withRow('8,63'), /line 3: has 2 cells, the header has 4/],
  ['a long row', withRow('8,63,15.8,486,9'), /line 3: has 5 cells, the header has 4/],
  ['a doubled header', `${header},ttft_ms\n1,51,12.6,75,50`, /line 1, column ttft_ms: is the heading of two/],
  ['seconds for ms', `${header}\n1,51,0.0126,75`, /line 2, column tpot_ms: says 0.0126 ms.*seconds/],
  [
    'decimal commas',
    withRow('8,63,15.8,486').replaceAll(',', ';').replace('15.8', '15,8'),
    /line 3, column tpot_ms: .*a point/,
  ],
  ['an open quote', withRow('8,"63,15.8,486'), /line \d+: opens a quote/],
])('fit, bad input: %s is unreadable, exit code 2', async (_, text, message) => {
  const { code, stdout, stderr } = await fit(text)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
  expect(stderr).toMatch(/^error: standard input: line \d+/)
})

test('fit, bad input: a binary file is unreadable', async () => {
  const { code, stderr } = await fit(Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe]))
  expect(code).toBe(2)
  expect(stderr).toContain('line 1: is not UTF-8 text')
})

test('fit, bad input: more than 10,000 rows are refused, and so is a file beyond all tables', async () => {
  const rows = Array.from({ length: 10_001 }, (_, index) => `${index + 1},51,12.6,75`)
  const { code, stderr } = await fit([header, ...rows].join('\n'))
  expect(code).toBe(2)
  expect(stderr).toBe(
    'error: standard input: line 10002: is row 10001, and at most 10000 are read; bring one row for each level, not one for each request\n',
  )
  const huge = await fit(Buffer.alloc(17 * 2 ** 20, '1,51,12.6,75\n'))
  expect(huge).toMatchObject({ code: 2, stderr: expect.stringContaining('has more than 16 MiB') })
})

test('fit, bad input: ten thousand bad rows are named in a screen of lines', async () => {
  const rows = Array.from({ length: 10_000 }, () => '1,x,y,z')
  const { code, stderr } = await fit([header, ...rows].join('\n'))
  expect(code).toBe(2)
  expect(stderr.trim().split('\n')).toHaveLength(21)
  expect(stderr).toContain('error: and 29980 more like these')
})

test.each([
  ['one row', [good[0]]],
  ['all rows equal', new Array(6).fill(good[1])],
  [
    'one level measured six times',
    ['8,63,15.8,486', '8,64,15.9,484', '8,62,15.7,488', '8,63,15.6,489', '8,65,15.8,486'],
  ],
])('fit, bad input: %s is readable and refused with too-few-levels, exit code 5', async (_, rows) => {
  const text = [header, ...rows].join('\n')
  const { code, stdout } = await fit(text, '--json')
  expect(code).toBe(5)
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'inconclusive', batch: { recommended: null } })
  expect(JSON.parse(stdout).reasons).toContain('too-few-levels')
  expect((await fit(text)).stdout).toContain('[too-few-levels]')
})

test.each([
  ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
  ['a byte-order mark', (text: string) => `\ufeff${text}`],
  ['quoted cells', (text: string) => text.replaceAll(/[^,\n]+/g, '"$&"')],
  ['semicolons', (text: string) => text.replaceAll(',', ';')],
  ['tabs', (text: string) => text.replaceAll(',', '\t')],
  ['comments between the rows', (text: string) => text.replaceAll('\n', '\n# note\n')],
])('fit: %s make no difference to the answer', async (_, change) => {
  // Three levels are too few for a fit, and their figures all stand in the answer: quick, and as telling.
  const text = [header, ...good.slice(0, 3)].join('\n')
  const labels = /"label": "line \d+"/g
  const plain = await fit(text, '--json')
  const changed = await fit(change(text), '--json')
  expect([plain.code, changed.code]).toEqual([5, 5])
  expect(JSON.parse(plain.stdout).fit.levels).toHaveLength(3)
  expect(changed.stdout.replaceAll(labels, '')).toBe(plain.stdout.replaceAll(labels, ''))
})

test('fit: a table without output lengths is readable, and the refusal says what is missing', async () => {
  const { code, stdout } = await runInProcess(['fit', '-'], { stdin: [header, ...good].join('\n') })
  expect(code).toBe(5)
  expect(stdout).toContain('--output-tokens')
})
