/** Starts the metronome and waits until it listens. */
import type { ChildProcess } from 'node:child_process'
import type { MetronomePorts } from './metronome.ts'
import { forkOwned } from './ownership.ts'

export interface MetronomeProcess extends MetronomePorts {
  readonly process: ChildProcess
  stop(): void
}

/** @throws Error when the process ends before it listens */
export function forkMetronome(): Promise<MetronomeProcess> {
  const child = forkOwned('metronome', {})
  return new Promise((resolve, reject) => {
    child.once('message', (ports: MetronomePorts) => {
      resolve({ ...ports, process: child, stop: () => void child.kill('SIGKILL') })
    })
    child.once('exit', (code) =>
      reject(new Error(`the metronome ended with code ${code} before it listened`)),
    )
    child.once('error', reject)
  })
}
