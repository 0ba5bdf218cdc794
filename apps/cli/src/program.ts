/** The command line: which commands there are, and how each of them ends. */
import { Command } from 'commander'
import { registerDemo } from './commands/demo.ts'
import { registerFit } from './commands/fit.ts'
import { registerProbe } from './commands/probe.ts'
import { registerRun } from './commands/run.ts'
import { registerSim } from './commands/sim.ts'
import { registerUp } from './commands/up.ts'
import type { CommandContext, RegisterCommand } from './context.ts'
import { reportError } from './errors.ts'
import { version } from './version.ts'

// One line a command, in the order in which --help shows them.
const commands: readonly RegisterCommand[] = [
  registerDemo,
  registerUp,
  registerRun,
  registerProbe,
  registerFit,
  registerSim,
]

/**
 * Runs one command line.
 *
 * @param argv the words after the program's name
 * @returns the exit code (CONTRACT: 0 done, 1 crashed, 2 usage, others as the command says); never throws
 */
export async function runCommandLine(
  argv: readonly string[],
  world: Omit<CommandContext, 'setExitCode'>,
): Promise<number> {
  let exitCode = 0
  const context: CommandContext = {
    ...world,
    setExitCode: (code) => {
      exitCode = code
    },
  }
  const program = createProgram(context)
  for (const register of commands) register(program, context)
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    return reportError(error, context)
  }
  return exitCode
}

function createProgram(context: CommandContext): Command {
  // Without a command it says what there is, as a usage error; a misspelt one it names. Both are commander's own ways
  // of a program that has commands and nothing to do by itself.
  return (
    new Command('loadcurve')
      .description('Measures an LLM inference server, fits its latency-throughput curve, and recommends.')
      .version(version)
      // Commander throws instead of ending the process; commands inherit both settings.
      .exitOverride()
      .configureOutput({
        writeOut: (text) => context.stdout.write(text),
        writeErr: (text) => context.stderr.write(text),
        getOutHelpWidth: () => context.display.columns,
        getErrHelpWidth: () => context.display.columns,
        getOutHasColors: () => context.display.colour,
        getErrHasColors: () => context.display.colour,
      })
      .showHelpAfterError('Try --help.')
  )
}
