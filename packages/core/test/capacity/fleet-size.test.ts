import { fleetSize, replicasPerNode } from '@loadcurve/core/capacity/fleet-size'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const loose = { gpusPerReplica: 2, gpusPerNode: null, failureDomain: 'replica' } as const
const load = { demandPerS: 120, capacityPerReplicaPerS: 8, spareReplicas: 1 }

describe('fleet size', () => {
  test('by hand: 120 over 8 is 15, one spare, two GPUs each', () => {
    expect(fleetSize(load, loose)).toEqual({ serving: 15, spares: 1, replicas: 16, gpus: 32, nodes: null })
  })

  test('whole nodes: three replicas of two GPUs on a node of seven', () => {
    const nodes = { ...loose, gpusPerNode: 7 }
    expect(replicasPerNode(nodes)).toBe(3)
    expect(fleetSize(load, nodes)).toMatchObject({ replicas: 16, nodes: 6, gpus: 42 })
  })

  test('a replica larger than a node takes several', () => {
    expect(fleetSize(load, { ...loose, gpusPerReplica: 16, gpusPerNode: 8 })).toMatchObject({
      nodes: 32,
      gpus: 256,
    })
  })

  test('a node that fails takes every replica on it, so spares cover a node or are none', () => {
    const nodes = { gpusPerReplica: 2, gpusPerNode: 8, failureDomain: 'node' } as const
    expect(fleetSize(load, nodes)).toMatchObject({ serving: 15, spares: 4, replicas: 19, nodes: 5, gpus: 40 })
    expect(fleetSize({ ...load, spareReplicas: 0 }, nodes)).toMatchObject({ spares: 0, replicas: 15 })
    expect(fleetSize({ ...load, spareReplicas: 6 }, nodes)).toMatchObject({ spares: 6 })
  })

  test('no demand needs nothing, spares included', () => {
    expect(fleetSize({ ...load, demandPerS: 0 }, loose)).toMatchObject({ replicas: 0, spares: 0, gpus: 0 })
  })

  test('serving replicas carry the demand, and one fewer would not', () => {
    const rate = fc.double({ min: 0.01, max: 1e4, noNaN: true })
    fc.assert(
      fc.property(
        rate,
        fc.double({ min: 0.01, max: 1e3, noNaN: true }),
        (demandPerS, capacityPerReplicaPerS) => {
          const { serving } = fleetSize({ demandPerS, capacityPerReplicaPerS, spareReplicas: 0 }, loose)
          expect(serving * capacityPerReplicaPerS).toBeGreaterThanOrEqual(demandPerS * (1 - 1e-6))
          expect((serving - 1) * capacityPerReplicaPerS).toBeLessThan(demandPerS)
        },
      ),
    )
  })

  test('impossible loads are refused with their value', () => {
    expect(() => fleetSize({ ...load, demandPerS: -1 }, loose)).toThrow('got -1')
    expect(() => fleetSize({ ...load, capacityPerReplicaPerS: 0 }, loose)).toThrow(
      'capacityPerReplicaPerS must be positive, got 0',
    )
  })
})
