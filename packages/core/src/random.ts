/**
 * Seeded chance. Core never reads entropy: whoever needs a draw is handed a {@link Random}, so every simulation,
 * bootstrap and schedule can be replayed from its seed, and independent parts draw from independent streams.
 *
 * The generator is sfc32 (Doty-Humphrey, PractRand): 128 bits of state, period at least 2^32, passes BigCrush, and
 * needs nothing but 32-bit integer arithmetic.
 */

/** A source of uniform deviates in [0, 1). Always injected, so that every run can be replayed from its seed. */
export type Random = () => number

/**
 * A seeded source of uniform deviates.
 *
 * @param seed any number; its integer part below 2^53 is used
 * @param stream names an independent sequence of the same seed, so that adding a consumer shifts no other one's draws
 * @throws RangeError when the seed is not finite
 */
export function seededRandom(seed: number, stream = ''): Random {
  if (!Number.isFinite(seed)) throw new RangeError(`seed must be a finite number, got ${seed}`)
  const whole = Math.trunc(seed)
  let a = whole | 0
  let b = Math.trunc(whole / 2 ** 32) | 0
  let c = hash32(stream)
  let counter = 1
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 2 ** 32
  }
  // Neighbouring seeds differ in few bits; the first outputs would show it.
  for (let round = 0; round < 15; round++) next()
  return next
}

/** One standard normal deviate (Marsaglia polar method; the second one of the pair is dropped to stay stateless). */
export function standardNormal(random: Random): number {
  for (;;) {
    const u = 2 * random() - 1
    const v = 2 * random() - 1
    const square = u * u + v * v
    if (square > 0 && square < 1) return u * Math.sqrt((-2 * Math.log(square)) / square)
  }
}

// FNV-1a over UTF-16 units: only has to tell stream names apart.
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash | 0
}
