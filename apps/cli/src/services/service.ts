/**
 * One process of ours: started detached with an IPC channel, so that a Ctrl-C on the terminal reaches us alone and we
 * decide about the order, and so that the process ends by itself when we are gone, however we went.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { isServiceReady, type ServiceReady } from '@loadcurve/core/run/service-message'
import { CommandFailure } from '../errors.ts'

export interface ServiceOptions {
  readonly name: string
  /** The file to run: JavaScript. */
  readonly entry: string
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where its output goes; null: to our own. */
  readonly logFile: string | null
}

export interface Service {
  readonly name: string
  readonly pid: number | undefined
  /** What it said when it was ready. */
  readonly ready: ServiceReady
  /** Resolves when the process is gone, with a few words about how. */
  readonly exited: Promise<string>
  /** Asks it to stop, insists after ten seconds, and resolves when it is gone. */
  readonly stop: () => Promise<void>
  /** Ends it at once. */
  readonly kill: () => void
}

/** The process ended before it was ready, or was not ready in time. */
export class ServiceFailure extends CommandFailure {}

const READY_TIMEOUT_MS = 60_000
/** A little more than the services themselves allow for an orderly stop. */
const STOP_TIMEOUT_MS = 12_000

/**
 * Starts a service and waits until it is ready.
 *
 * @throws ServiceFailure when it ends or stays silent instead; nothing is left running then
 */
export async function startService({
  name,
  entry,
  args = [],
  env,
  logFile,
}: ServiceOptions): Promise<Service> {
  const log = logFile === null ? null : openSync(logFile, 'a')
  const output = log ?? 'inherit'
  const child = fork(entry, [...args], {
    env: { ...env } as NodeJS.ProcessEnv,
    execArgv: [],
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  if (log !== null) closeSync(log)
  const exited = howItEnds(child)
  const where = logFile === null ? '' : `; its log is ${logFile}`
  const ready = await Promise.race([
    firstReady(child),
    exited.then((how) => new ServiceFailure(`the ${name} ended (${how}) before it was ready${where}`)),
    late(name, where),
  ])
  if (ready instanceof ServiceFailure) {
    child.kill('SIGKILL')
    throw ready
  }
  return {
    ...{ name, pid: child.pid, ready, exited },
    stop: () => stop(child, exited),
    kill: () => void child.kill('SIGKILL'),
  }
}

async function firstReady(child: ChildProcess): Promise<ServiceReady> {
  for (;;) {
    const [message] = await once(child, 'message')
    if (isServiceReady(message)) return message
  }
}

function late(name: string, where: string): Promise<ServiceFailure> {
  return new Promise((resolve) => {
    setTimeout(
      () =>
        resolve(new ServiceFailure(`the ${name} was not ready after ${READY_TIMEOUT_MS / 1000} s${where}`)),
      READY_TIMEOUT_MS,
    ).unref()
  })
}

function howItEnds(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  child.kill('SIGTERM')
  const insist = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(insist)
}
