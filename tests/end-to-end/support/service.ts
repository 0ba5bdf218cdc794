/** The whole service under test: database, queue, API, workers and a simulated target, each a process of its own. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@loadcurve/store/database'
import { type LocalPostgres, startLocalPostgres } from '@loadcurve/store/local-postgres'
import { ApiClient } from 'loadcurve/client/api-client'
import { ownRedis } from '../../../packages/store/test/support/own-redis.ts'
import { API, SIMULATOR, startProcess, type TestProcess, WORKER } from './processes.ts'
import { Witness } from './witness.ts'

export interface ServiceOptions {
  readonly queue: 'postgres' | 'redis'
  readonly workers: number
  /** Of each worker. */
  readonly loadProcesses?: number
  readonly apis?: number
  readonly simulator?: Readonly<Record<string, unknown>>
  /** Environment of API and workers, beside what they need. */
  readonly env?: Readonly<Record<string, string>>
}

export class ServiceUnderTest {
  readonly env: Record<string, string> = {}
  readonly workers: TestProcess[] = []
  readonly apis: TestProcess[] = []
  /** Processes that ended, for what they wrote. */
  readonly ended: TestProcess[] = []
  readonly #options: ServiceOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'loadcurve-e2e-'))
  #postgres: LocalPostgres | null = null
  #redis: Awaited<ReturnType<typeof ownRedis>> | null = null
  #simulator: TestProcess | null = null

  private constructor(options: ServiceOptions) {
    this.#options = options
    chmodSync(this.#folder, 0o711)
  }

  static async start(options: ServiceOptions): Promise<ServiceUnderTest> {
    const service = new ServiceUnderTest(options)
    try {
      await service.#start()
      return service
    } catch (error) {
      await service.stop()
      throw error
    }
  }

  async #start(): Promise<void> {
    const { queue, workers, apis = 1, simulator = {}, env = {} } = this.#options
    this.#postgres = await startLocalPostgres(this.#folder)
    if (queue === 'redis') this.#redis = await ownRedis()
    Object.assign(this.env, {
      DATABASE_URL: this.#postgres.connectionString,
      ...(this.#redis === null ? {} : { REDIS_URL: this.#redis.url }),
      LOADCURVE_PORT: '0',
      LOADCURVE_LOAD_PROCESSES: String(this.#options.loadProcesses ?? 1),
      ...env,
    })
    this.#simulator = await startProcess(SIMULATOR, { args: [JSON.stringify(simulator)] })
    for (let n = 0; n < apis; n++) await this.startApi()
    for (let n = 0; n < workers; n++) await this.startWorker()
  }

  async startApi(port = '0'): Promise<TestProcess> {
    const api = await startProcess(API, { env: { ...this.env, LOADCURVE_PORT: port } })
    this.apis.push(api)
    return api
  }

  async startWorker(): Promise<TestProcess> {
    const worker = await startProcess(WORKER, { env: this.env })
    this.workers.push(worker)
    return worker
  }

  /** Takes a process out of the service: it was stopped or killed. */
  forget(gone: TestProcess): void {
    this.ended.push(gone)
    for (const list of [this.workers, this.apis]) {
      const place = list.indexOf(gone)
      if (place >= 0) list.splice(place, 1)
    }
  }

  get url(): string {
    const url = this.apis[0]?.url
    if (!url) throw new Error('no API is running')
    return url
  }

  client(apiKey: string | null = null): ApiClient {
    return new ApiClient({ url: this.url, apiKey })
  }

  get simulatorUrl(): string {
    return this.#simulator?.url ?? ''
  }

  /** What the target itself saw. */
  get witness(): Witness {
    return new Witness(this.simulatorUrl)
  }

  database() {
    return openDatabase({
      connectionString: this.env['DATABASE_URL'] ?? '',
      connectionsMax: 2,
      onError: () => {},
    })
  }

  /** An immediate stop and a new start, as after a crash of the server. */
  async restartPostgres(): Promise<void> {
    await this.#postgres?.stop()
    this.#postgres = await startLocalPostgres(this.#folder)
  }

  async emptyRedis(): Promise<void> {
    await this.#redis?.restartEmpty()
  }

  output(): string {
    return [...this.ended, ...this.workers, ...this.apis].map((one) => one.output()).join('\n')
  }

  async stop(): Promise<void> {
    await Promise.all([...this.workers, ...this.apis].map((one) => one.stop()))
    await this.#simulator?.stop()
    await this.#redis?.close()
    await this.#postgres?.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
