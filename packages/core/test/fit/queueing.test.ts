import { expect, test } from 'vitest'
import { fitCurve } from '../../src/fit/curve.ts'
import { queueingReadings, usableReadings } from '../../src/fit/queueing.ts'
import { closedLoopLevels } from '../measured.ts'

const settings = { inputTokens: null, outputTokens: null, experts: null, probes: [], seed: 1, draws: 20 }
const clientsOf = (readings: Iterable<{ level: { concurrency: number | null } }>) =>
  [...readings].map(({ level }) => level.concurrency).sort((left, right) => (left ?? 0) - (right ?? 0))

test('queueing: the levels of a server with eight slots that keep more clients than that', () => {
  const curve = fitCurve({ ...settings, levels: closedLoopLevels('llamacpp_small_closed') })
  expect(clientsOf(queueingReadings(curve))).toEqual([10, 12, 16])
  expect(usableReadings(curve)).toHaveLength(11)
})

test('queueing: a single level past saturation counts, though it tells no saturation', () => {
  const levels = closedLoopLevels('llamacpp_small_closed').filter(
    ({ concurrency }) => (concurrency ?? 0) <= 10,
  )
  const curve = fitCurve({ ...settings, levels })
  expect(curve.fitted?.law.saturationBatch).toBeNull()
  expect(clientsOf(queueingReadings(curve))).toEqual([10])
})

test('queueing: a sweep that was refused has none', () => {
  expect(queueingReadings(fitCurve({ ...settings, levels: [] })).size).toBe(0)
})
