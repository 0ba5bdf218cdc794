/**
 * Everything that `up` and `demo` run: the database, the API, the worker, the simulated target. Started in this order,
 * stopped in the opposite one, and kept alive in between: a service that ends unasked is started again, boundedly.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalPostgres, startLocalPostgres } from '@loadcurve/store/local-postgres'
import { defaultDataDir } from '@loadcurve/store/local-postgres/account'
import { CommandFailure } from '../errors.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

export interface SupervisorOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Output of the services into files of the data folder instead of onto the terminal. */
  readonly quiet: boolean
  /** Said to a person: what happens, a line each. */
  readonly say: (line: string) => void
}

const RESTARTS_MAX = 5
const RESTARTS_WITHIN_MS = 60_000
const RESTART_AFTER_MS = 500

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #dataDir: string
  readonly #services: Service[] = []
  readonly #failed: Promise<Error>
  #fail: (error: Error) => void = () => {}
  #postgres: LocalPostgres | null = null
  #stopping: Promise<void> | null = null

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#dataDir = options.env['LOADCURVE_DATA_DIR'] || defaultDataDir(options.env)
    // Services log there before the database is started.
    mkdirSync(this.#dataDir, { recursive: true })
    this.#failed = new Promise((resolve) => {
      this.#fail = resolve
    })
  }

  /** Resolves when a service keeps ending and was given up. */
  get failed(): Promise<Error> {
    return this.#failed
  }

  get dataDir(): string {
    return this.#dataDir
  }

  /** Where plans, runs and results stay when everything has stopped. */
  get keptIn(): string {
    if (this.#options.env['DATABASE_URL']) return 'the database of DATABASE_URL'
    return this.#postgres?.folder ?? this.#dataDir
  }

  /** The database that the environment names, or the local one. */
  async startDatabase(): Promise<string> {
    const { env, say } = this.#options
    if (env['DATABASE_URL']) return env['DATABASE_URL']
    const postgres = await startLocalPostgres(this.#dataDir).catch((error: Error) => {
      throw new CommandFailure(`the local Postgres could not be started: ${error.message}`)
    })
    this.#postgres = postgres
    say(
      `Postgres ${postgres.adopted ? 'was running already' : 'is running'}, its data is in ${postgres.folder}`,
    )
    if (this.#stopping !== null) await postgres.stop()
    return postgres.connectionString
  }

  /** Starts a service and keeps it alive; returns what it said when it was ready. */
  async start(service: Omit<ServiceOptions, 'logFile'>): Promise<Service> {
    const logFile = this.#options.quiet ? join(this.#dataDir, `${service.name}.log`) : null
    const started = await startService({ ...service, logFile })
    if (this.#stopping !== null) {
      await started.stop()
      return started
    }
    const place = this.#services.push(started) - 1
    void this.#keepAlive({ ...service, logFile }, place)
    return started
  }

  /** Stops everything that was started, the last first; a second call waits for the first one. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  /** Ends everything at once: for somebody who presses Ctrl-C twice. */
  kill(): void {
    for (const service of this.#services) service.kill()
  }

  async #stopAll(): Promise<void> {
    for (const service of this.#services.toReversed()) await service.stop()
    await this.#postgres?.stop()
  }

  async #keepAlive(options: ServiceOptions, place: number): Promise<void> {
    const restartsAtMs: number[] = []
    for (;;) {
      const how = (await this.#services[place]?.exited) ?? 'gone'
      if (this.#stopping !== null) return
      this.#options.say(`The ${options.name} ended (${how}); starting it again`)
      const now = performance.now()
      restartsAtMs.push(now)
      const recent = restartsAtMs.filter((atMs) => now - atMs < RESTARTS_WITHIN_MS)
      if (recent.length > RESTARTS_MAX)
        return this.#fail(new Error(`the ${options.name} keeps ending (${how})`))
      await new Promise((resolve) => setTimeout(resolve, RESTART_AFTER_MS))
      if (this.#stopping !== null) return
      try {
        const restarted = await startService(options)
        this.#services[place] = restarted
        if (this.#stopping !== null) return restarted.kill()
      } catch (error) {
        return this.#fail(error as Error)
      }
    }
  }
}
