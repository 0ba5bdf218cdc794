import { expect, test } from 'vitest'
import {
  candidateForms,
  evaluateForm,
  isotonicLooMs,
  selectStepForm,
  summarise,
} from '../../src/fit/select.ts'
import { seededRandom, standardNormal } from '../../src/random.ts'

const batches = [1, 2, 4, 8, 16, 32, 64, 128]
const pointsOf = (stepMsAt: (batch: number) => number) =>
  batches.map((batch) => {
    const stepMs = stepMsAt(batch)
    return { batch, stepMs, weight: 1 / stepMs ** 2 }
  })

test('select: the experts form is tried only when the experts are known', () => {
  expect(candidateForms(null)).toEqual(['linear', 'sqrt'])
  expect(candidateForms(1 / 32)).toEqual(['linear', 'sqrt', 'moe'])
})

test('select: an exact line is taken as a line although the wider forms fit it as well', () => {
  const chosen = selectStepForm({ points: pointsOf((b) => 10 + 0.2 * b), expertFraction: 1 / 32 })
  expect(chosen.curve.form).toBe('linear')
  expect(chosen.looErrorFraction).toBeLessThan(1e-9)
})

test('select: exact laws of each wider form are recognised', () => {
  const root = selectStepForm({
    points: pointsOf((b) => 3 + 0.1 * b + 2 * Math.sqrt(b)),
    expertFraction: null,
  })
  expect(root.curve.form).toBe('sqrt')
  const experts = selectStepForm({
    points: pointsOf((b) => 5 + 0.1 * b + 6 * (1 - (1 - 1 / 32) ** b)),
    expertFraction: 1 / 32,
  })
  expect(experts.curve.form).toBe('moe')
  expect(experts.curve.shapeMs).toBeCloseTo(6, 6)
})

test('select: with 2 % noise a line is chosen for lines in most sweeps', () => {
  const random = seededRandom(7)
  let lines = 0
  for (let sweep = 0; sweep < 200; sweep++) {
    const points = pointsOf((b) => (10 + 0.2 * b) * Math.exp(0.02 * standardNormal(random)))
    if (selectStepForm({ points, expertFraction: null }).curve.form === 'linear') lines++
  }
  // The one-standard-error rule prefers the simpler form; without it, it would be about half.
  expect(lines).toBeGreaterThan(160)
})

test('select: leave-one-out error is the mean over the interior levels only', () => {
  const points = pointsOf(() => 10)
  const looMs = [99, 10.1, 9.8, 10, 10, 10, 10, 0]
  expect(summarise(points, looMs).looErrorFraction).toBeCloseTo((0.01 + 0.02) / 6, 12)
})

test('select: leaving a level out really leaves it out', () => {
  const points = pointsOf((b) => 10 + 0.2 * b)
  const spoiled = points.map((point, index) => (index === 3 ? { ...point, stepMs: 40 } : point))
  const candidate = evaluateForm({ form: 'linear', points: spoiled, expertFraction: null })
  expect(candidate.looMs[3]).toBeCloseTo(10 + 0.2 * 8, 9)
})

test('select: isotonic leave-one-out interpolates between the neighbours', () => {
  const looMs = isotonicLooMs(pointsOf((b) => 10 + 0.2 * b))
  // A straight line is its own interpolation; the ends can only repeat their neighbour.
  expect(looMs[3]).toBeCloseTo(10 + 0.2 * 8, 9)
  expect(looMs[0]).toBeCloseTo(10 + 0.2 * 2, 9)
  expect(looMs[7]).toBeCloseTo(10 + 0.2 * 64, 9)
})
