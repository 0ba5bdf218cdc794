/**
 * The world as a command sees it. Commands never touch `process` for input, output or their exit code, so that a test
 * runs them inside its own process and reads what they said.
 */
import type { Readable } from 'node:stream'
import type { Command } from 'commander'

/** Where text goes; the part of a writable stream that commands use. */
export interface TextSink {
  write(text: string): unknown
}

export interface CommandContext {
  readonly stdin: Readable
  readonly stdout: TextSink
  readonly stderr: TextSink
  readonly env: Readonly<Record<string, string | undefined>>
  /** What stdout can show. Everything false when it is not a terminal. */
  readonly display: Display
  /** The code that the process ends with; 0 unless a command says otherwise. CONTRACT.md lists them per command. */
  setExitCode(code: number): void
}

export interface Display {
  readonly colour: boolean
  /** Box and block characters, not only ASCII. */
  readonly unicode: boolean
  readonly columns: number
}

/** Each file of `commands/` exports one of these; `program.ts` calls it. */
export type RegisterCommand = (program: Command, context: CommandContext) => void
