/** Several classes of requests in one traffic: drawn by their shares, served together, judged apart. */
import { lengthDraw } from '../../load/lengths.ts'
import { seededRandom } from '../../random.ts'
import { latenciesOf } from './latencies.ts'
import { drawRehearsal, type Rehearsal, type Replay, type ReplicaTraffic } from './rehearsal.ts'

export interface ClassMix {
  readonly rehearsal: Rehearsal
  /** Index of the class of each request. */
  readonly classOf: Uint8Array
}

export interface MixedClass extends Pick<ReplicaTraffic, 'inputTokens' | 'outputTokens'> {
  /** Part of all requests, relative to the others'; > 0. */
  readonly weight: number
}

/** Draws a rehearsal in which each request belongs to a class by chance, in the proportion of the weights. */
export function drawMix(
  classes: readonly MixedClass[],
  traffic: Pick<ReplicaTraffic, 'arrival' | 'workSigma'>,
  draw: Parameters<typeof drawRehearsal>[1] & Parameters<typeof drawRehearsal>[2],
): ClassMix {
  const [first] = classes
  if (first === undefined) throw new RangeError('a mix needs at least one class')
  const rehearsal = drawRehearsal({ ...traffic, ...first }, draw, draw)
  const random = seededRandom(draw.seed, 'classes')
  const total = classes.reduce((sum, each) => sum + each.weight, 0)
  const lengths = classes.map((each) => ({
    input: lengthDraw(each.inputTokens),
    output: lengthDraw(each.outputTokens),
  }))
  const { inputTokens, outputTokens } = rehearsal.draws
  const classOf = Uint8Array.from(inputTokens, () => pick(classes, random() * total))
  for (const [request, index] of classOf.entries()) {
    const draws = lengths[index]
    if (draws === undefined) continue
    inputTokens[request] = draws.input(random)
    outputTokens[request] = draws.output(random)
  }
  return { rehearsal, classOf }
}

/** The replay as one class saw it. */
export function replayOfClass(replay: Replay, { rehearsal, classOf }: ClassMix, index: number): Replay {
  const random = seededRandom(rehearsal.seed, `latency-noise:${index}`)
  const counted = { ...rehearsal.counted, only: (request: number) => classOf[request] === index }
  return { ...replay, latencies: latenciesOf(replay.log, counted, { sigma: rehearsal.noise, random }) }
}

function pick(classes: readonly MixedClass[], at: number): number {
  let above = 0
  for (const [index, { weight }] of classes.entries()) {
    above += weight
    if (at < above) return index
  }
  return classes.length - 1
}
