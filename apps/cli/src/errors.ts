/** How a command says that it cannot go on. Anything else that is thrown is a bug and shows its stack. */
import { CommanderError } from 'commander'
import type { CommandContext } from './context.ts'

/** One thing that is wrong with what the user gave, named as the user knows it: `--price`, `line 4, column ttft_ms`. */
export interface Violation {
  readonly path: string
  readonly message: string
}

export const EXIT_CRASHED = 1
export const EXIT_USAGE = 2

/** A screen full; whoever has more mends these first. */
const violationsShown = 20

/** The user's mistake: every violation, not only the first. Ends with exit code 2 unless the command has its own. */
export class UsageError extends Error {
  readonly violations: readonly Violation[]
  readonly exitCode: number

  constructor(violations: readonly Violation[], exitCode = EXIT_USAGE) {
    super(violations.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.name = 'UsageError'
    this.violations = violations
    this.exitCode = exitCode
  }
}

/** The world's failure, already in words for the user: a server that does not answer, a file that is not there. */
export class CommandFailure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = EXIT_CRASHED) {
    super(message)
    this.name = 'CommandFailure'
    this.exitCode = exitCode
  }
}

/** Prints what went wrong and returns the exit code. */
export function reportError(error: unknown, context: CommandContext): number {
  // Commander has printed its own message, and uses this also to end --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  if (error instanceof UsageError) {
    for (const { path, message } of error.violations.slice(0, violationsShown)) {
      context.stderr.write(`error: ${path}: ${message}\n`)
    }
    const more = error.violations.length - violationsShown
    if (more > 0) context.stderr.write(`error: and ${more} more like these\n`)
    return error.exitCode
  }
  if (error instanceof CommandFailure) {
    context.stderr.write(`error: ${error.message}\n`)
    return error.exitCode
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  context.stderr.write(`This is a bug in loadcurve; please report it with these lines.\n${detail}\n`)
  return EXIT_CRASHED
}
