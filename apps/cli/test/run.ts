/** Runs a command line inside the test's own process. */
import { Readable } from 'node:stream'
import type { Display } from '../src/context.ts'
import { runCommandLine } from '../src/program.ts'

const plain: Display = { colour: false, unicode: false, columns: 80 }

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export async function runInProcess(
  argv: readonly string[],
  { stdin = '', display = plain }: { stdin?: string | Buffer; display?: Display } = {},
): Promise<Outcome> {
  const said = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      said[name] += text
    },
  })
  const code = await runCommandLine(argv, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    display,
  })
  return { code, ...said }
}
