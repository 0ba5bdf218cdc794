/** Every completion request that reached the server, with its instants: the independent witness of the tests. */
export interface RequestRecord {
  readonly id: string
  readonly arrivedAtMs: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly sequences: number
  /** Of the request: `x-request-id` and whatever begins with `x-loadcurve-`. */
  readonly headers: Readonly<Record<string, string>>
  firstTokenAtMs: number | null
  lastTokenAtMs: number | null
  /** When the server was through with it, or the client went away. Null: still open. */
  endedAtMs: number | null
  outcome: 'open' | 'ok' | 'refused' | 'fault' | 'client-gone' | 'restart'
  /** The fault it got, if any. */
  readonly fault: string | null
}

const RECORDS_MAX = 200_000

export class RequestLog {
  #records: RequestRecord[] = []
  #forgotten = 0

  /** Older records that were dropped to keep the log bounded. */
  get forgotten(): number {
    return this.#forgotten
  }

  add(record: RequestRecord): void {
    this.#records.push(record)
    if (this.#records.length <= RECORDS_MAX) return
    // A tenth at a time: shifting one by one would copy the log at every request.
    const spent = RECORDS_MAX / 10
    this.#records = this.#records.slice(spent)
    this.#forgotten += spent
  }

  /** Records that were open at some instant of [sinceMs, untilMs). */
  between(sinceMs: number, untilMs: number): RequestRecord[] {
    return this.#records.filter(
      ({ arrivedAtMs, endedAtMs }) => arrivedAtMs < untilMs && (endedAtMs === null || endedAtMs >= sinceMs),
    )
  }
}
