/**
 * A trace of arrivals from a file: CSV with the columns `at_s`, `input_tokens`, `output_tokens`, in order of time. The
 * two lengths may be left out or empty; then they are drawn as for any other step.
 */
import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, resolve, sep } from 'node:path'
import type { StepOrder } from './step-order.ts'

export interface TraceArrival {
  readonly atS: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/** A trace that cannot be used. */
export class TraceError extends Error {
  readonly code = 'trace-invalid'

  constructor(message: string) {
    super(message)
    this.name = 'TraceError'
  }
}

const fileBytesMax = 64 * 1024 * 1024

/**
 * The order with the arrivals of its trace file in place.
 *
 * @throws TraceError when the file is missing, outside the data folder, too large, or not a trace
 */
export async function withTrace(order: StepOrder, dataDir: string): Promise<StepOrder> {
  const { arrival } = order.workload
  if (arrival.process !== 'trace' || arrival.trace?.file == null) return order
  const arrivals = parseTrace(await readTrace(arrival.trace.file, dataDir))
  const trace = { ...arrival.trace, arrivals }
  return { ...order, workload: { ...order.workload, arrival: { ...arrival, trace } } }
}

async function readTrace(file: string, dataDir: string): Promise<string> {
  const folder = resolve(dataDir)
  const path = resolve(folder, file)
  if (isAbsolute(file) || !path.startsWith(folder + sep))
    throw new TraceError(`${file} lies outside the data folder`)
  const found = await stat(path).catch(() => null)
  if (found === null) throw new TraceError(`${file} is not in the data folder`)
  if (found.size > fileBytesMax)
    throw new TraceError(`${file} has ${found.size} bytes, at most ${fileBytesMax} are read`)
  return readFile(path, 'utf8')
}

/** @throws TraceError naming the line that is not an arrival */
export function parseTrace(text: string): TraceArrival[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const [header, ...rows] = lines.filter(({ line }) => line !== '' && !line.startsWith('#'))
  const names = (header?.line ?? '').split(',').map((name) => name.trim())
  if (!names.includes('at_s')) throw new TraceError('the trace has no column at_s')
  const arrivals: TraceArrival[] = []
  for (const { line, number } of rows) {
    const cells = line.split(',').map((cell) => cell.trim())
    const cell = (name: string): string => cells[names.indexOf(name)] ?? ''
    const arrival = {
      atS: Number(cell('at_s') || Number.NaN),
      inputTokens: tokensOf(cell('input_tokens'), number),
      outputTokens: tokensOf(cell('output_tokens'), number),
    }
    if (!(arrival.atS >= (arrivals.at(-1)?.atS ?? 0))) {
      throw new TraceError(
        `line ${number}: at_s must be a number that does not decrease, got "${cell('at_s')}"`,
      )
    }
    arrivals.push(arrival)
  }
  if (arrivals.length < 2) throw new TraceError('a trace needs two arrivals or more')
  return arrivals
}

function tokensOf(cell: string, line: number): number | null {
  if (cell === '') return null
  const tokens = Number(cell)
  if (!Number.isInteger(tokens) || tokens < 1) {
    throw new TraceError(`line ${line}: tokens must be a whole number of at least 1, got "${cell}"`)
  }
  return tokens
}
