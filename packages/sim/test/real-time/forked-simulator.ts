import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SimulatorOptions } from '../../src/http-server/options.ts'

export interface ForkedSimulator {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/** Starts a simulated server in another process, so that its work does not delay its client's. */
export function forkSimulator(options: SimulatorOptions): Promise<ForkedSimulator> {
  const child = fork(fileURLToPath(new URL('./server-process.mjs', import.meta.url)), {
    execArgv: [],
    stdio: 'inherit',
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`the simulated server ended with code ${code}; is it built?`)),
    )
    child.once('message', (ready: { url: string; port: number }) => {
      const stop = () => {
        child.disconnect()
        return exited
      }
      resolve({ ...ready, stop })
    })
    child.send(options)
  })
}
