import { expect, test } from 'vitest'
import type { CommandContext } from '../src/context.ts'
import { CommandFailure, reportError, UsageError } from '../src/errors.ts'
import { version } from '../src/version.ts'
import { runInProcess } from './run.ts'

test('command line: --version and --help answer on stdout with code 0', async () => {
  expect(await runInProcess(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  const help = await runInProcess(['--help'])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('Usage: loadcurve')
})

test('command line: no command, an unknown command and an unknown option are usage errors', async () => {
  const none = await runInProcess([])
  expect(none).toMatchObject({ code: 2, stdout: '' })
  expect(none.stderr).toContain('Usage: loadcurve')
  const misspelt = await runInProcess(['fitt', 'table.csv'])
  expect(misspelt).toMatchObject({ code: 2, stdout: '' })
  expect(misspelt.stderr).toContain("unknown command 'fitt'")
  expect(misspelt.stderr).toContain('Did you mean fit?')
  expect(await runInProcess(['--nonsense'])).toMatchObject({ code: 2, stdout: '' })
})

function report(error: unknown): { code: number; text: string } {
  let text = ''
  const context = { stderr: { write: (chunk: string) => (text += chunk) } } as unknown as CommandContext
  return { code: reportError(error, context), text }
}

test('errors: the user reads every violation, and no stack', () => {
  const error = new UsageError([
    { path: '--price', message: 'must be zero or more, got -3' },
    { path: '--demand', message: 'must be more than zero, got 0' },
  ])
  expect(report(error)).toEqual({
    code: 2,
    text: 'error: --price: must be zero or more, got -3\nerror: --demand: must be more than zero, got 0\n',
  })
})

test('errors: a failure of the world keeps its code and shows no stack; only a bug shows one', () => {
  expect(report(new CommandFailure('the server does not answer', 1))).toEqual({
    code: 1,
    text: 'error: the server does not answer\n',
  })
  const bug = report(new RangeError('n must be positive, got -1'))
  expect(bug.code).toBe(1)
  expect(bug.text).toContain('This is a bug in loadcurve')
  expect(bug.text).toContain('program.test.ts')
})
