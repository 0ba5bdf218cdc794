/** The process: hands argv and the standard streams to the command line, and ends with its code. */
import process from 'node:process'
import { detectDisplay } from './display.ts'
import { runCommandLine } from './program.ts'

// `loadcurve fit ... | head` closes our stdout early; that is the reader's right, not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

// exitCode rather than exit(): what was written still has to reach a slow pipe.
process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  display: detectDisplay(process.stdout, process.env),
})
