/**
 * How many replicas and GPUs.
 *
 *   replicas = ceil(demand / rate per replica) + spares          GPUs = replicas * GPUs per replica, in whole nodes
 *
 * A failure takes all that its domain holds: one replica, or a node with every replica on it. Spares must cover one
 * whole failure, or they are none. A demand of zero needs nothing, spares included.
 */

export interface FleetHardware {
  readonly gpusPerReplica: number
  /** GPUs that are bought together; null: any number. */
  readonly gpusPerNode: number | null
  readonly failureDomain: 'replica' | 'node'
}

export interface FleetSize {
  /** Replicas that carry the demand. */
  readonly serving: number
  readonly spares: number
  readonly replicas: number
  readonly gpus: number
  readonly nodes: number | null
}

/** A quotient this little above a whole number is rounding error, not demand. */
const ROUNDING = 1e-9

/**
 * The size of a fleet.
 *
 * @throws RangeError when a rate is not a number >= 0, or a replica takes nothing
 */
export function fleetSize(
  load: {
    readonly demandPerS: number
    readonly capacityPerReplicaPerS: number
    readonly spareReplicas: number
  },
  hardware: FleetHardware,
): FleetSize {
  const { demandPerS, capacityPerReplicaPerS, spareReplicas } = load
  if (!(demandPerS >= 0 && demandPerS < Infinity)) {
    throw new RangeError(`demandPerS must be a number, at least 0, got ${demandPerS}`)
  }
  if (!(capacityPerReplicaPerS > 0)) {
    throw new RangeError(`capacityPerReplicaPerS must be positive, got ${capacityPerReplicaPerS}`)
  }
  const serving = Math.ceil(demandPerS / capacityPerReplicaPerS - ROUNDING)
  const spares = serving === 0 ? 0 : sparesFor(spareReplicas, hardware)
  return { serving, spares, replicas: serving + spares, ...gpusFor(serving + spares, hardware) }
}

/** Replicas that share a node; at least one (a replica larger than a node spans several). */
export function replicasPerNode({ gpusPerNode, gpusPerReplica }: FleetHardware): number {
  return gpusPerNode === null ? 1 : Math.max(1, Math.floor(gpusPerNode / gpusPerReplica))
}

function sparesFor(spareReplicas: number, hardware: FleetHardware): number {
  if (spareReplicas === 0 || hardware.failureDomain === 'replica') return spareReplicas
  return Math.max(spareReplicas, replicasPerNode(hardware))
}

function gpusFor(replicas: number, hardware: FleetHardware): { gpus: number; nodes: number | null } {
  const { gpusPerNode, gpusPerReplica } = hardware
  if (gpusPerNode === null) return { gpus: replicas * gpusPerReplica, nodes: null }
  // A replica does not straddle two nodes when it fits on one: what is left over on a node stays idle.
  const nodesPerReplica = Math.ceil(gpusPerReplica / gpusPerNode)
  const nodes = Math.ceil(replicas / replicasPerNode(hardware)) * nodesPerReplica
  return { gpus: nodes * gpusPerNode, nodes }
}
