/**
 * Queues that have closed forms: the building blocks of the instant estimate and the oracles of the simulation.
 *
 * Erlang's C formula is the probability that an arrival has to wait at c equal servers under Poisson arrivals and
 * exponential service. A server with continuous batching is not c equal servers, since its step time grows with the
 * batch; a birth-death chain whose service rate depends on the number in service describes it, truncated where nobody
 * is let in any more.
 */

/**
 * Erlang C: probability of waiting in M/M/c.
 *
 * Computed from Erlang B by its recursion B(n) = A B(n-1) / (n + A B(n-1)), which neither overflows nor cancels;
 * C = B / (1 - (A/c) (1 - B)).
 *
 * @param offered A = arrival rate times mean service time, erlangs, >= 0
 * @param servers c, a positive whole number
 * @returns probability; 1 when A >= c
 * @throws RangeError when offered is negative or servers is not a positive whole number
 */
export function erlangC({
  offered,
  servers,
}: {
  readonly offered: number
  readonly servers: number
}): number {
  if (!(offered >= 0)) throw new RangeError(`offered must not be negative, got ${offered}`)
  if (!(Number.isInteger(servers) && servers > 0)) {
    throw new RangeError(`servers must be a positive whole number, got ${servers}`)
  }
  if (offered >= servers) return 1
  let blocking = 1
  for (let n = 1; n <= servers; n++) blocking = (offered * blocking) / (n + offered * blocking)
  return blocking / (1 - (offered / servers) * (1 - blocking))
}

export interface BirthDeathQueue {
  /** Arrival rate, 1/s. */
  readonly ratePerS: number
  /** Largest number in service; more wait. */
  readonly servers: number
  /** Largest number waiting; who comes then is turned away. */
  readonly queueMax: number
  /** Rate at which requests end when n are in service, 1/s, for n = 1 ... servers. */
  readonly endRatePerS: (inService: number) => number
}

export interface BirthDeathState {
  /** Rate of those let in, 1/s. */
  readonly throughputPerS: number
  readonly meanInSystem: number
  readonly meanInService: number
  /** Mean time in the system and waiting, s (Little). */
  readonly meanResidenceS: number
  readonly meanWaitS: number
  /** Probability that all places are taken, as an arrival sees it. */
  readonly waitProbability: number
  readonly blockedFraction: number
  /** Distribution of the number in service, index 0 ... servers. */
  readonly inService: readonly number[]
}

/**
 * Steady state of a birth-death queue: p(n) is proportional to the product of rate / endRate(min(k, servers)) over
 * k = 1 ... n. Summed in logarithms, since the products overflow for some hundred places.
 *
 * @throws RangeError when a rate is not positive or a size is not a whole number
 */
export function birthDeathState(queue: BirthDeathQueue): BirthDeathState {
  const probabilities = stateProbabilities(queue)
  const { servers, ratePerS } = queue
  const inService = new Array<number>(servers + 1).fill(0)
  let meanInSystem = 0
  for (const [n, probability] of probabilities.entries()) {
    meanInSystem += n * probability
    const serving = Math.min(n, servers)
    inService[serving] = (inService[serving] ?? 0) + probability
  }
  const meanInService = inService.reduce((sum, probability, n) => sum + n * probability, 0)
  const blockedFraction = probabilities.at(-1) ?? 0
  const throughputPerS = ratePerS * (1 - blockedFraction)
  return {
    throughputPerS,
    meanInSystem,
    meanInService,
    meanResidenceS: meanInSystem / throughputPerS,
    meanWaitS: (meanInSystem - meanInService) / throughputPerS,
    waitProbability: inService[servers] ?? 0,
    blockedFraction,
    inService,
  }
}

function stateProbabilities({ ratePerS, servers, queueMax, endRatePerS }: BirthDeathQueue): number[] {
  if (!(ratePerS > 0)) throw new RangeError(`ratePerS must be positive, got ${ratePerS}`)
  if (!(Number.isInteger(servers) && servers > 0)) {
    throw new RangeError(`servers must be a positive whole number, got ${servers}`)
  }
  if (!(Number.isInteger(queueMax) && queueMax >= 0)) {
    throw new RangeError(`queueMax must be a whole number, got ${queueMax}`)
  }
  const logs = [0]
  for (let n = 1; n <= servers + queueMax; n++) {
    const endRate = endRatePerS(Math.min(n, servers))
    if (!(endRate > 0))
      throw new RangeError(`endRatePerS(${Math.min(n, servers)}) must be positive, got ${endRate}`)
    logs.push((logs[n - 1] as number) + Math.log(ratePerS / endRate))
  }
  const largest = logs.reduce((left, right) => Math.max(left, right), -Infinity)
  const weights = logs.map((log) => Math.exp(log - largest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}
