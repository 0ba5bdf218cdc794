import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseTrace, withTrace } from '../src/trace-file.ts'
import { virtualOrder } from './virtual-target.ts'

test('trace: columns by name, lengths may be missing, comments are skipped', () => {
  expect(parseTrace('# monday\noutput_tokens,at_s\n5,0\n,0.25\r\n7,1.5\n')).toEqual([
    { atS: 0, inputTokens: null, outputTokens: 5 },
    { atS: 0.25, inputTokens: null, outputTokens: null },
    { atS: 1.5, inputTokens: null, outputTokens: 7 },
  ])
})

test.each([
  ['seconds\n1\n2\n', 'the trace has no column at_s'],
  ['at_s\n1\n', 'two arrivals or more'],
  ['at_s\n2\n1\n', 'line 3: at_s must be a number that does not decrease, got "1"'],
  ['at_s\n\n1\nsoon\n', 'line 4: at_s must be a number'],
  ['at_s,input_tokens\n1,2.5\n2,3\n', 'line 2: tokens must be a whole number of at least 1, got "2.5"'],
])('trace: %j is refused, and the line is named', (text, message) => {
  expect(() => parseTrace(text)).toThrow(message)
})

test('trace: a file in the data folder is put into the order, one outside it is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loadcurve-trace-'))
  try {
    await writeFile(join(folder, 'monday.csv'), 'at_s,input_tokens,output_tokens\n0,10,20\n1,11,21\n')
    const order = (file: string) => {
      const { workload } = virtualOrder()
      const arrival = { ...workload.arrival, process: 'trace' as const, trace: { file, arrivals: null } }
      return virtualOrder({ workload: { ...workload, arrival } })
    }
    const read = await withTrace(order('monday.csv'), folder)
    expect(read.workload.arrival.trace?.arrivals).toEqual([
      { atS: 0, inputTokens: 10, outputTokens: 20 },
      { atS: 1, inputTokens: 11, outputTokens: 21 },
    ])
    await expect(withTrace(order('../secret.csv'), folder)).rejects.toThrow('outside the data folder')
    await expect(withTrace(order('tuesday.csv'), folder)).rejects.toThrow(
      'tuesday.csv is not in the data folder',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
