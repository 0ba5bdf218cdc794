/** The simulated target as a witness: it has its own list of every request that reached it. */

export interface SeenRequest {
  readonly arrivedAtMs: number
  readonly endedAtMs: number | null
  readonly outcome: string
}

export class Witness {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async requests(): Promise<SeenRequest[]> {
    const response = await fetch(`${this.#url}/sim/requests`)
    const body = (await response.json()) as { requests: SeenRequest[] }
    return body.requests
  }
}

/** The machine's monotonic clock, which the simulator stamps with, ms. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** A wall-clock instant of this machine on its monotonic clock, ms. */
export function monotonicOf(instant: Date | string): number {
  return new Date(instant).getTime() - Date.now() + monotonicMs()
}
