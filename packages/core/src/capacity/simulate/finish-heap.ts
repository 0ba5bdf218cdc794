/**
 * The running requests, ordered by the engine step at which each of them ends. Every engine step gives one token to
 * every running request, so a request that starts at step k with O tokens ends at step k + O - 1, whatever happens in
 * between: one counter and one heap replace a counter per request. A binary min-heap over two parallel arrays.
 */
export class FinishHeap {
  readonly #steps: number[] = []
  readonly #requests: number[] = []

  get size(): number {
    return this.#steps.length
  }

  /** The step at which the next request ends; Infinity when none runs. */
  get nextStep(): number {
    return this.#steps[0] ?? Infinity
  }

  push(step: number, request: number): void {
    let place = this.#steps.length
    while (place > 0) {
      const parent = (place - 1) >> 1
      if ((this.#steps[parent] as number) <= step) break
      this.#move(parent, place)
      place = parent
    }
    this.#steps[place] = step
    this.#requests[place] = request
  }

  /** Removes and returns the request that ends first. Throws when nothing runs. */
  pop(): number {
    const request = this.#requests[0]
    const lastStep = this.#steps.pop()
    const lastRequest = this.#requests.pop()
    if (request === undefined || lastStep === undefined || lastRequest === undefined) {
      throw new RangeError('pop from an empty heap')
    }
    if (this.#steps.length > 0) this.#sink(0, { step: lastStep, request: lastRequest })
    return request
  }

  /** Removes a given request and returns the step at which it would have ended. Linear: preemption is rare. */
  remove(request: number): number {
    const place = this.#requests.indexOf(request)
    if (place === -1) throw new RangeError(`request ${request} is not running`)
    const step = this.#steps[place] as number
    const kept = this.#requests.flatMap((each, index) =>
      index === place ? [] : [{ step: this.#steps[index] as number, request: each }],
    )
    this.#steps.length = 0
    this.#requests.length = 0
    for (const each of kept) this.push(each.step, each.request)
    return step
  }

  #sink(from: number, last: { readonly step: number; readonly request: number }): void {
    let place = from
    for (;;) {
      let child = 2 * place + 1
      if (child >= this.#steps.length) break
      if (
        child + 1 < this.#steps.length &&
        (this.#steps[child + 1] as number) < (this.#steps[child] as number)
      )
        child++
      if ((this.#steps[child] as number) >= last.step) break
      this.#move(child, place)
      place = child
    }
    this.#steps[place] = last.step
    this.#requests[place] = last.request
  }

  #move(from: number, to: number): void {
    this.#steps[to] = this.#steps[from] as number
    this.#requests[to] = this.#requests[from] as number
  }
}
