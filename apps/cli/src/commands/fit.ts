/** `loadcurve fit TABLE.csv`: fits a table of measurements and answers which batch to set, or why not. */
import { readTable, type TableReading, type TableViolation } from '@loadcurve/core/fit/table'
import { recommendationText } from '@loadcurve/report/terminal/recommendation-text'
import type { CommandContext, RegisterCommand } from '../context.ts'
import { UsageError, type Violation } from '../errors.ts'
import { answer } from '../fit/answer.ts'
import { csvTable } from '../fit/csv-table.ts'
import { type FitOptions, type FitOptionTexts, readFitOptions } from '../fit/fit-options.ts'
import { idleOptions } from '../fit/idle-options.ts'
import { readInput } from '../fit/read-input.ts'
import { collect } from '../options.ts'

/** Readable, but no recommendation came out of it. */
const EXIT_REFUSED = 5

const help = `
Columns, in any order (docs/TABLES.md has all of them): concurrency or qps;
ttft_ms; tpot_ms or itl_ms; output_tok_s or req_s; achieved_concurrency, n,
ok_rate, input_tokens, output_tokens, e2e_ms. Statistics are named as in
ttft_p95_ms, tpot_mean_ms.

Exit codes: 0 recommended; 2 the table or an option cannot be read; 5 readable,
but no recommendation follows from it.

Example:
  loadcurve fit sweep.csv --output-tokens 256 --slo 'tpot:mean<40'
`

export const registerFit: RegisterCommand = (program, context) => {
  program
    .command('fit')
    .description('fits a table of measurements (CSV) and recommends a batch size, or says why not')
    .argument('<table>', 'CSV file with a header; - reads standard input')
    .option('--input-tokens <mean>', 'mean prompt tokens of the table')
    .option('--output-tokens <mean>', 'mean output tokens of the table')
    .option('--slo <promise>', 'e.g. ttft:p95<800 or tpot:mean<40, in ms; may be repeated', collect)
    .option('--experts <count>', 'experts of a mixture-of-experts model')
    .option('--experts-per-token <count>', 'how many of them a token uses')
    .option(
      '--capture-sizes <list>',
      'batch sizes that the server pads to (CUDA graphs), e.g. 1,2,4,8,16; or none',
    )
    .option('--rates <list>', 'predict latency at these Poisson arrival rates, e.g. 0.5,1,2 (requests/s)')
    .option('--demand <rate>', 'requests/s that the fleet must carry')
    .option('--gpu <name>', 'GPU of the replica, as in the catalogue')
    .option('--gpus-per-replica <count>', 'GPUs of one replica, for figures per GPU and memory')
    .option('--price <usd>', 'price of one GPU for one hour')
    .option('--model <name>', 'model of the catalogue: its KV memory and experts')
    .option('--curve <id>', 'which curve_id of the table')
    .option('--column <name=header>', 'read a column from another heading; may be repeated', collect)
    .option('--seed <number>', 'seed of the bootstrap (1)')
    .option('--json', 'print the recommendation as JSON')
    .addHelpText('after', help)
    .action((path: string, texts: FitOptionTexts) => fit(path, texts, context))
}

async function fit(path: string, texts: FitOptionTexts, context: CommandContext): Promise<void> {
  const violations: Violation[] = []
  const options = readFitOptions(texts, violations)
  const { levels, notes } = await readLevels(path, options, { context, violations })
  if (violations.length > 0) throw new UsageError(violations)
  for (const note of [...idleOptions(options), ...notes.map(({ message }) => message)]) {
    context.stderr.write(`note: ${note}\n`)
  }
  const recommendation = answer(levels, options)
  context.stdout.write(
    options.json
      ? `${JSON.stringify(recommendation, null, 2)}\n`
      : recommendationText(recommendation, { slo: options.slo, display: context.display }),
  )
  if (recommendation.verdict !== 'recommended') context.setExitCode(EXIT_REFUSED)
}

async function readLevels(
  path: string,
  options: FitOptions,
  { context, violations }: { readonly context: CommandContext; readonly violations: Violation[] },
): Promise<TableReading> {
  const bytes = await readInput(path, context, violations)
  if (bytes === null) return { levels: [], notes: [], violations: [] }
  const { table, violations: unreadable } = csvTable(bytes)
  const reading =
    table === null ? { levels: [], notes: [], violations: unreadable } : readTable(table, options)
  const source = path === '-' ? 'standard input' : path
  violations.push(...reading.violations.map((violation) => inFile(source, violation)))
  return reading
}

function inFile(source: string, { line, column, message }: TableViolation): Violation {
  const place = [line === null ? '' : `line ${line}`, column === null ? '' : `column ${column}`]
  return { path: [source, place.filter((part) => part !== '').join(', ')].join(': '), message }
}
