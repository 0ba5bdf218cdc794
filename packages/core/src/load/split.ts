/**
 * One step's load dealt over several processes.
 *
 * The tempting way, each process drawing its own Poisson schedule, goes wrong when they share a seed: the same
 * arrivals come from all of them at once, and the count in an interval varies several times as much as a Poisson
 * count does. So there is one schedule. Every process generates all of it from the plan's seed and keeps the entries
 * whose index is its own: the union is exactly the schedule, whatever the number of processes.
 */

/** Which part of a step a process drives: part `shard` (from 0) of `shards`. */
export interface ShardPart {
  readonly shard: number
  readonly shards: number
}

/** An entry of a schedule with its place in the whole schedule. */
export interface Scheduled<T> {
  readonly index: number
  readonly value: T
}

/**
 * The entries of a schedule that belong to one part: those with index = shard (mod shards), in order.
 *
 * @throws RangeError when shards is not a positive integer or shard is not in 0 ... shards - 1
 */
export function* dealSchedule<T>(schedule: Iterable<T>, part: ShardPart): Generator<Scheduled<T>, void> {
  requirePart(part)
  let index = 0
  for (const value of schedule) {
    if (index % part.shards === part.shard) yield { index, value }
    index++
  }
}

/**
 * The part of a whole number of concurrent requests that one process keeps in flight. Parts differ by at most one and
 * sum to the total.
 *
 * @param total requests in flight over all processes, a whole number >= 0
 * @throws RangeError when total is not a whole number >= 0, or the part is not valid
 */
export function dealConcurrency(total: number, part: ShardPart): number {
  requirePart(part)
  if (!Number.isInteger(total) || total < 0)
    throw new RangeError(`total must be a whole number, got ${total}`)
  return Math.floor(total / part.shards) + (part.shard < total % part.shards ? 1 : 0)
}

function requirePart({ shard, shards }: ShardPart): void {
  if (!Number.isInteger(shards) || shards < 1)
    throw new RangeError(`shards must be at least 1, got ${shards}`)
  if (!Number.isInteger(shard) || shard < 0 || shard >= shards) {
    throw new RangeError(`shard must be a whole number below ${shards}, got ${shard}`)
  }
}
