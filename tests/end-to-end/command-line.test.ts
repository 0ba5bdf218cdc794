/** `loadcurve up` and `run` as a person starts and stops them. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { dataFolder, loadcurve } from './support/command.ts'
import { hasProcessTable, processesWith } from './support/processes.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

function folder(): string {
  const path = dataFolder()
  cleanups.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const said = (running: { output: () => string }, words: string | RegExp) =>
  expect.poll(running.output, { timeout: 45_000, interval: 100 }).toMatch(words)

/** The services of one `up`, by the data folder in their environment or command line. */
function ours(up: ChildProcess, dataDir: string): number[] {
  const services = processesWith('apps/api/dist/server.js').concat(processesWith('apps/worker/dist/main.js'))
  return [
    ...services.filter((pid) => pid !== up.pid && belongsTo(pid, dataDir)),
    ...processesWith('postgres', dataDir),
  ]
}

function belongsTo(pid: number, dataDir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`LOADCURVE_DATA_DIR=${dataDir}`)
  } catch {
    return false
  }
}

const runs = test.runIf(hasProcessTable)

runs(
  'up: Ctrl-C stops everything that it started, in order, and says what was kept',
  async () => {
    const dataDir = folder()
    const up = loadcurve(['up'], dataDir)
    await said(up, /Loadcurve is at http:\/\/127\.0\.0\.1:\d+/)
    expect(ours(up.child, dataDir).length).toBeGreaterThanOrEqual(3)
    up.child.kill('SIGINT')
    expect(await up.exitCode()).toBe(0)
    expect(up.output()).toContain(`are kept in ${dataDir}`)
    expect(ours(up.child, dataDir)).toEqual([])
  },
  90_000,
)

runs(
  'up: Ctrl-C while it starts leaves nothing either',
  async () => {
    const dataDir = folder()
    const up = loadcurve(['up'], dataDir)
    await said(up, 'Postgres is running')
    up.child.kill('SIGINT')
    expect(await up.exitCode()).toBe(0)
    await expect.poll(() => ours(up.child, dataDir), { timeout: 15_000 }).toEqual([])
  },
  90_000,
)

// Also while the services still connect to the database that goes with it.
runs.each(['Loadcurve is at', 'Postgres is running'])(
  'up: kill -9 of itself after "%s" leaves no service and no database behind',
  async (words) => {
    const dataDir = folder()
    const up = loadcurve(['up'], dataDir)
    await said(up, words)
    up.child.kill('SIGKILL')
    await up.exitCode()
    await expect.poll(() => ours(up.child, dataDir), { timeout: 20_000, interval: 200 }).toEqual([])
  },
  90_000,
)

runs(
  'up: a service that is killed is started again',
  async () => {
    const dataDir = folder()
    const up = loadcurve(['up'], dataDir)
    await said(up, /Loadcurve is at/)
    const [worker] = processesWith('apps/worker/dist/main.js').filter((pid) => belongsTo(pid, dataDir))
    process.kill(worker ?? Number.NaN, 'SIGKILL')
    await said(up, 'The worker ended (SIGKILL); starting it again')
    await expect
      .poll(() => processesWith('apps/worker/dist/main.js').filter((pid) => belongsTo(pid, dataDir)), {
        timeout: 20_000,
      })
      .toHaveLength(1)
    up.child.kill('SIGTERM')
    expect(await up.exitCode()).toBe(0)
    expect(ours(up.child, dataDir)).toEqual([])
  },
  90_000,
)

runs(
  'demo: Ctrl-C in the middle of a step cancels the run, and leaves no load and no service',
  async () => {
    const dataDir = folder()
    const demo = loadcurve(['demo'], dataDir)
    const loading = () => processesWith('process/child.js').filter((pid) => belongsTo(pid, dataDir))
    await expect.poll(() => loading().length, { timeout: 60_000, interval: 200 }).toBeGreaterThan(0)
    demo.child.kill('SIGINT')
    expect(await demo.exitCode()).toBe(1)
    expect(demo.output()).toContain('run cancelled; what was measured is kept')
    expect([...loading(), ...ours(demo.child, dataDir)]).toEqual([])
  },
  120_000,
)

runs(
  'run: a plan with several faults ends with 3 and names each of them',
  async () => {
    const dataDir = folder()
    const plan = join(dataDir, 'plan.json')
    writeFileSync(
      plan,
      JSON.stringify({
        name: '',
        target: { baseUrl: 'ftp://127.0.0.1/v1', model: 7 },
        seed: -1,
        tpyo: 1,
      }),
    )
    const run = loadcurve(['run', plan], dataDir)
    expect(await run.exitCode()).toBe(3)
    for (const path of ['name:', 'target.baseUrl:', 'target.model:', 'seed:', 'tpyo:']) {
      expect(run.output()).toContain(path)
    }
    expect(ours(run.child, dataDir)).toEqual([])
  },
  90_000,
)

runs(
  'run: what cannot be read is a usage error, and a server that is not there is said to be',
  async () => {
    const dataDir = folder()
    const absent = loadcurve(['run', join(dataDir, 'absent.json')], dataDir)
    expect(await absent.exitCode()).toBe(2)
    const broken = join(dataDir, 'broken.json')
    writeFileSync(broken, '{')
    const unreadable = loadcurve(['run', broken], dataDir)
    expect(await unreadable.exitCode()).toBe(3)
    const target = { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' }
    writeFileSync(broken, JSON.stringify({ name: 'p', target }))
    const nowhere = loadcurve(['run', broken, '--server', 'http://127.0.0.1:9'], dataDir)
    expect(await nowhere.exitCode()).toBe(1)
    expect(nowhere.output()).toContain('no Loadcurve API answers at http://127.0.0.1:9')
  },
  60_000,
)
