import { expect, test } from 'vitest'
import { complaints, read } from './csv.ts'

test('units: a mean TPOT under 0.2 ms looks like seconds, once a column', () => {
  expect(complaints('concurrency,ttft_ms,itl_ms\n1,446,0.0186\n2,500,0.0218')).toEqual([
    'unit | line 2 | itl_ms | says 0.0186 ms, a token in less than 0.2 ms: this looks like seconds. If it is, head the column itl_s; if it is another figure, rename it',
  ])
  expect(complaints('concurrency,ttft_ms,tpot_ms\n1,446,0.2')).toEqual([])
})

test('units: the same figures under a heading in seconds are read', () => {
  const { levels, violations } = read('concurrency,ttft_s,itl_s\n1,0.446,0.0186\n2,0.5,0.0218')
  expect(violations).toEqual([])
  expect(levels[0]?.tpotMs.mean).toBeCloseTo(18.6, 9)
  expect(levels[0]?.ttftMs.mean).toBeCloseTo(446, 9)
})

test('units: a TTFT that never takes the time of a fifth of a token looks like seconds; a single one does not', () => {
  expect(complaints('concurrency,ttft_ms,tpot_ms\n1,0.446,18.6\n2,0.5,21.8')).toEqual([
    'unit | line 2 | ttft_ms | says 0.446 ms, a first token far sooner than every later one: this looks like seconds. If it is, head the column ttft_s; if it is another figure, rename it',
  ])
  expect(complaints('concurrency,ttft_ms,tpot_ms\n1,0.446,18.6\n2,500,21.8')).toEqual([])
})

test('units: an answer cannot end before its first token', () => {
  expect(complaints('concurrency,ttft_ms,tpot_ms,e2e_ms\n1,446,18.6,9.7')[0]).toMatch(
    /^unit \| line 2 \| e2e_ms \| says 9.7 ms/,
  )
  expect(complaints('concurrency,ttft_ms,tpot_ms,e2e_ms\n1,446,18.6,9700')).toEqual([])
})

test('units: a higher percentile cannot be lower, an equal one can', () => {
  expect(
    complaints('concurrency,ttft_ms,tpot_ms,ttft_p50_ms,ttft_p95_ms\n1,40,5,60,50\n2,40,5,50,50'),
  ).toEqual([
    'percentiles-disordered | line 2 | ttft_p95_ms | is below ttft_p50_ms of the same row; a higher percentile cannot be lower',
  ])
})

test('units: rows of very different lengths are different curves', () => {
  expect(complaints('concurrency,ttft_ms,tpot_ms,isl\n1,40,5,1024\n2,50,6,1100\n1,400,5,8192')).toEqual([
    'lengths-mixed | line 4 | isl | says 8192 where another row says 1024: rows of such different lengths are different curves. Keep those of one length, or tell them apart by a curve_id column and --curve',
  ])
})
