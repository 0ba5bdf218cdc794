/** Reads the measured tables in `fixtures/`: comment lines dropped, cells as numbers, empty cells null. */
import { readFileSync } from 'node:fs'
import type { LatencyColumn, Level } from '../src/fit/level.ts'

export type Row = Readonly<Record<string, number | null>>

/** Rows of a fixture, cells by header. Text cells become null. */
export function fixtureRows(name: string): Row[] {
  return fixtureText(name).map((cells) =>
    Object.fromEntries(
      Object.entries(cells).map(([header, cell]) => [
        header,
        cell === '' || Number.isNaN(Number(cell)) ? null : Number(cell),
      ]),
    ),
  )
}

/** Rows of a fixture, cells as text by header. */
export function fixtureText(name: string): Record<string, string>[] {
  const text = readFileSync(new URL(`./fixtures/${name}.csv`, import.meta.url), 'utf8')
  const [header = '', ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const headers = header.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(headers.map((name, index) => [name, cells[index] ?? '']))
  })
}

/** A level of which nothing is known but what is given. */
export function levelWith(known: Partial<Level>): Level {
  return {
    label: 'level',
    kind: 'closed-loop',
    concurrency: null,
    ratePerS: null,
    achievedConcurrency: null,
    requestsPerS: null,
    outputTokensPerS: null,
    inputTokens: null,
    outputTokens: null,
    requests: null,
    okFraction: null,
    thinkTimeS: 0,
    ttftMs: latency({}),
    tpotMs: latency({}),
    gapMs: latency({}),
    e2eMs: latency({}),
    batchLimit: null,
    server: null,
    errors: null,
    excluded: null,
    ...known,
  }
}

export function latency(known: Partial<LatencyColumn>): LatencyColumn {
  return { mean: null, p50: null, p90: null, p95: null, p99: null, ...known }
}

/** Levels of a closed-loop fixture: the columns that these tables have. `rename` maps headers. */
export function closedLoopLevels(name: string, rename: Readonly<Record<string, string>> = {}): Level[] {
  return fixtureRows(name).map((row, index) => {
    const cell = (header: string) => row[rename[header] ?? header] ?? null
    return levelWith({
      label: `row ${index + 1}`,
      concurrency: cell('concurrency'),
      achievedConcurrency: cell('achieved_concurrency'),
      requestsPerS: cell('req_s'),
      outputTokensPerS: cell('output_tok_s') ?? cell('throughput_tok_s'),
      inputTokens: cell('input_tokens'),
      outputTokens: cell('output_tokens'),
      requests: cell('n'),
      ttftMs: latency({
        mean: cell('ttft_ms') ?? cell('ttft_mean_ms'),
        p50: cell('ttft_p50_ms'),
        p95: cell('ttft_p95_ms'),
      }),
      tpotMs: latency({
        mean: cell('tpot_ms') ?? cell('itl_ms') ?? cell('tpot_mean_ms'),
        p50: cell('tpot_p50_ms'),
        p95: cell('tpot_p95_ms'),
      }),
    })
  })
}

/** The main oracle: Llama-3.3-70B fp8 on two H100, 5000 tokens in and 500 out. */
export const mainOracle = () =>
  closedLoopLevels('nim_llama33_70b_fp8_tp2_h100_isl5000_osl500_v1_8').map((level) => ({
    ...level,
    inputTokens: 5000,
    outputTokens: 500,
  }))
