/**
 * Seeded chance of the simulator. It is not core's generator on purpose: the ground truth must share no code with
 * what it judges, so that one flaw cannot hide in both.
 *
 * The generator is xoshiro128** (Blackman and Vigna, 2018), its state filled by splitmix32.
 */

/** A source of uniform deviates in [0, 1). */
export type Chance = () => number

/**
 * A seeded source of uniform deviates.
 *
 * @param seed any finite number
 * @param purpose names an independent sequence of the same seed
 * @throws RangeError when the seed is not finite
 */
export function seededChance(seed: number, purpose: string): Chance {
  if (!Number.isFinite(seed)) throw new RangeError(`seed must be a finite number, got ${seed}`)
  const fill = splitmix32(mixText(purpose, Math.trunc(seed)))
  const state = Uint32Array.of(fill(), fill(), fill(), fill())
  return () => xoshiro(state) / 2 ** 32
}

/** One standard normal deviate (Box–Muller; the second deviate is dropped so that calls stay independent). */
export function normalDeviate(chance: Chance): number {
  // 1 - u lies in (0, 1], so the logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
}

/** A lognormal factor with mean 1 and the given coefficient of variation (>= 0). */
export function unitMeanFactor(cv: number, chance: Chance): number {
  if (cv === 0) return 1
  const variance = Math.log(1 + cv * cv)
  return Math.exp(Math.sqrt(variance) * normalDeviate(chance) - variance / 2)
}

/**
 * A gamma deviate with mean 1 and the given coefficient of variation (> 0): shape 1/cv^2.
 * Marsaglia and Tsang (2000), "A simple method for generating gamma variables".
 */
export function unitMeanGamma(cv: number, chance: Chance): number {
  const shape = 1 / (cv * cv)
  // Below shape 1 the method needs the boost gamma(k) = gamma(k + 1) * u^(1/k).
  const boost = shape < 1 ? (1 - chance()) ** (1 / shape) : 1
  const d = (shape < 1 ? shape + 1 : shape) - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normalDeviate(chance)
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - chance()) < 0.5 * x * x + d - d * v + d * Math.log(v))
      return (boost * d * v) / shape
  }
}

function xoshiro(state: Uint32Array): number {
  // Plain indexing: destructuring a typed array walks an iterator, and this runs per engine step.
  const s0 = state[0] as number
  const s1 = state[1] as number
  const s2 = state[2] as number
  const s3 = state[3] as number
  const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0
  const y2 = s2 ^ s0
  const y3 = s3 ^ s1
  state[1] = s1 ^ y2
  state[0] = s0 ^ y3
  state[2] = y2 ^ (s1 << 9)
  state[3] = rotateLeft(y3, 11)
  return result
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

function splitmix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let word = state ^ (state >>> 16)
    word = Math.imul(word, 0x21f0aaad)
    word ^= word >>> 15
    word = Math.imul(word, 0x735a2d97)
    return (word ^ (word >>> 15)) >>> 0
  }
}

function mixText(text: string, seed: number): number {
  let hash = Math.imul(seed ^ Math.trunc(seed / 2 ** 32), 0x9e3779b1)
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x85ebca6b)
  return hash
}
