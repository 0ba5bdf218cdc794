/**
 * Which paddings of the decode batch a sweep leaves possible. A server that pads its batch to sizes it has prepared is
 * seen only where a level lies between two of them: levels at the sizes themselves lie on a line, whatever is in between.
 * So every padding that engines use is fitted to the levels in place of the batch itself, and kept unless it explains
 * them clearly worse than the best does.
 *
 *   step(b) = decode(pad(b)) + b W / (O - 1)
 *
 * The prefill work W of the other requests is not padded, so the less of a step is prefill, the more a padding costs. W is
 * read from the TTFT, which may hold more than prefill: a network, a gateway, a tokeniser. So W is fitted as well, between
 * what grows with the prompt, which no delay does (nothing, in a table without prefill probes), and all of the TTFT that
 * the slope of the steps has room for. Of every padding the question takes the most prefill, or the least, that the levels
 * allow.
 */
import { type CaptureSizes, paddedBatch, UNPADDED, usualCaptureSizes } from '../fit/capture-sizes.ts'
import type { CurveFit } from '../fit/curve.ts'
import { type CurveLaw, stepTimeMs } from '../fit/law.ts'
import { fitStepForm, type StepPoint, stepWeight } from '../fit/step-forms.ts'
import { type PaddedLevel, paddedLevels } from './padded-levels.ts'
import { engineModel, STEP_MIN_MS, UNKNOWN_INPUT_TOKENS } from './simulate/engine-model.ts'
import { sloValue } from './slo-column.ts'
import type { SloLimit } from './slo-limits.ts'

/** One padding, and what the levels then say about the batches between them. */
export interface Padding {
  readonly sizes: CaptureSizes
  /** Typical step when b sequences decode, ms. */
  readonly typicalMs: (batch: number) => number
  /** The statistic of each promise that binds the batch, in their order, ms. */
  readonly promisedMs: readonly ((batch: number) => number)[]
}

export interface PaddingQuestion {
  readonly fitted: CurveLaw
  readonly limits: readonly SloLimit[]
  /** What the server is known to have prepared; null: unknown. */
  readonly captureSizes: CaptureSizes | null
  /** How much of the TTFT is taken for prefill work, of what the levels allow; left out: most. */
  readonly prefill?: PrefillReading
}

export type PrefillReading = 'most' | 'least'

/** What the possible paddings make of the steps. */
export interface PaddedSteps {
  /** How much longer a step of b sequences may take than the curve says, ms: at best and at worst. */
  readonly leastMs: (batch: number) => number
  readonly mostMs: (batch: number) => number
  /** The steps themselves, where the server certainly pads: a curve through stairs is wrong between them. Else null. */
  readonly certain: CertainSteps | null
}

/** Typical steps of b sequences, ms, at best and at worst, and how far the levels are from them. */
export interface CertainSteps {
  readonly leastMs: (batch: number) => number
  readonly mostMs: (batch: number) => number
  readonly errorFraction: number
}

/** Relative error of a level's step: no less than a careful sweep has, no more than one that is fitted at all. */
const LEVEL_SIGMA = { min: 0.01, max: 0.03 } as const
/** Squared errors, in units of their variance, by which a padding must be worse than the best: three sigmas. */
const RULED_OUT = 9
/** A server pads nothing until the levels say otherwise beyond doubt: five sigmas. */
const UNPADDED_RULED_OUT = 25
/** Shares of prefill that are fitted with every padding, from the least to the most. */
const PREFILLS_TRIED = 5

/** Every padding that is possible, the one that pads nothing first; at least one. */
export function possiblePaddings(curve: CurveFit, question: PaddingQuestion): Padding[] {
  const levels = paddedLevels(curve, question.fitted)
  return explanations(levels, question).map((explanation) => paddingOf(levels, explanation, question))
}

/** The steps of a server of which only this much is known. */
export function paddedSteps(curve: CurveFit, question: PaddingQuestion): PaddedSteps {
  const levels = paddedLevels(curve, question.fitted)
  const unpadded = { sizes: UNPADDED, prefillMs: prefillPerSequenceMs(question).mostMs }
  const plain = paddingOf(levels, unpadded, question)
  const explained = explanations(levels, question)
  const paddings = explained.map((explanation) => paddingOf(levels, explanation, question))
  const stepsMs = (batch: number): number[] => paddings.map(({ typicalMs }) => typicalMs(batch))
  const costsMs = (batch: number): number[] =>
    stepsMs(batch).map((ms) => Math.max(0, ms - plain.typicalMs(batch)))
  const isCertain = !mayBeUnpadded(paddings) && question.fitted.law.form !== 'isotonic'
  const squares = explained.map(({ misfit }) => misfit / levels.length)
  return {
    leastMs: (batch) => Math.min(...costsMs(batch)),
    mostMs: (batch) => Math.max(...costsMs(batch)),
    certain: isCertain
      ? {
          leastMs: (batch) => Math.min(...stepsMs(batch)),
          mostMs: (batch) => Math.max(...stepsMs(batch)),
          errorFraction: Math.sqrt(Math.max(LEVEL_SIGMA.min ** 2, ...squares)),
        }
      : null,
  }
}

/** True unless the server is known, or was seen, to pad. */
export function mayBeUnpadded(paddings: readonly Padding[]): boolean {
  return paddings.some(({ sizes }) => sizes.length === 0)
}

/** A padding, the prefill work of a sequence per token of its answer, ms, and how far the two leave the levels. */
interface Explanation {
  readonly sizes: CaptureSizes
  readonly prefillMs: number
  /** Sum of squared relative errors. */
  readonly misfit: number
}

/** Per possible padding, the largest or the smallest share of prefill with which it is possible. */
function explanations(levels: readonly PaddedLevel[], question: PaddingQuestion): Explanation[] {
  const tried = paddingsTried(levels, question).map((sizes) =>
    prefillsTried(sizes, question).map((prefillMs) => ({
      sizes,
      prefillMs,
      misfit: misfitOf(levels, { ...question, sizes, prefillMs, limit: null }),
    })),
  )
  const best = Math.min(...tried.flat().map(({ misfit }) => misfit))
  const free = Math.max(1, levels.length - 2)
  const variance = Math.min(LEVEL_SIGMA.max ** 2, Math.max(LEVEL_SIGMA.min ** 2, best / free))
  return tried.flatMap((each) => {
    const possible = each.filter(({ sizes, misfit }) => {
      const limit = sizes.length === 0 ? UNPADDED_RULED_OUT : RULED_OUT
      return misfit - best < limit * variance
    })
    return possible.at(question.prefill === 'least' ? 0 : -1) ?? []
  })
}

function paddingsTried(
  levels: readonly PaddedLevel[],
  { captureSizes }: PaddingQuestion,
): readonly CaptureSizes[] {
  if (captureSizes !== null) return [captureSizes]
  return [UNPADDED, ...usualCaptureSizes(Math.max(1, ...levels.map(({ highest }) => highest)))]
}

// A line takes any share of prefill; without a law, shares are not known apart.
function prefillsTried(sizes: CaptureSizes, question: PaddingQuestion): number[] {
  const { leastMs, mostMs } = prefillPerSequenceMs(question)
  if (sizes.length === 0 || question.fitted.law.form === 'isotonic' || leastMs === mostMs) return [mostMs]
  const part = (mostMs - leastMs) / (PREFILLS_TRIED - 1)
  return Array.from({ length: PREFILLS_TRIED }, (_, index) => leastMs + index * part)
}

// Where no law fits the levels, how well one fits rules nothing out.
function misfitOf(levels: readonly PaddedLevel[], ask: PaddedAsk): number {
  if (ask.fitted.law.form === 'isotonic') return 0
  const { levelMs } = fitPadded(levels, ask)
  return levels.reduce((sum, level) => sum + (levelMs(level) / level.typicalMs - 1) ** 2, 0)
}

function paddingOf(
  levels: readonly PaddedLevel[],
  { sizes, prefillMs }: Pick<Explanation, 'sizes' | 'prefillMs'>,
  question: PaddingQuestion,
): Padding {
  const stepMs = (limit: SloLimit | null): Padding['typicalMs'] =>
    // Between two levels a token gap is taken to be that of the higher one anyway.
    limit?.slo.metric === 'gap'
      ? (batch) => stepTimeMs(limit.curve, batch)
      : fitPadded(levels, { ...question, sizes, prefillMs, limit }).stepMs
  return {
    sizes,
    typicalMs: stepMs(null),
    promisedMs: question.limits.filter(({ binds }) => binds === 'batch').map(stepMs),
  }
}

interface PaddedFit {
  readonly stepMs: (batch: number) => number
  readonly levelMs: (level: PaddedLevel) => number
}

type PaddedAsk = PaddingQuestion & {
  readonly sizes: CaptureSizes
  readonly prefillMs: number
  readonly limit: SloLimit | null
}

function fitPadded(levels: readonly PaddedLevel[], ask: PaddedAsk): PaddedFit {
  const { sizes, prefillMs, limit, fitted } = ask
  const curve = limit?.curve ?? fitted.law
  const { form, expertFraction } = curve
  if (form === 'isotonic') return joinedFit(levels, ask)
  const points = levels.map((level): StepPoint => {
    const ms = (limit === null ? null : columnMs(level, limit)) ?? level.typicalMs
    const weight = stepWeight({ stepMs: ms, standardErrorFraction: null })
    const stepMs = Math.max(STEP_MIN_MS, ms - prefillMs * level.batch)
    return { batch: level.meanPadded(sizes), stepMs, weight }
  })
  const decode = fitStepForm({ form, expertFraction, points })
  return {
    stepMs: (batch) => stepTimeMs(decode, paddedBatch(sizes, batch)) + prefillMs * batch,
    levelMs: (level) => stepTimeMs(decode, level.meanPadded(sizes)) + prefillMs * level.batch,
  }
}

/** Where no law fits: a padded batch runs as slowly as its size, but not more slowly than the next level did. */
function joinedFit(levels: readonly PaddedLevel[], { sizes, limit, fitted }: PaddedAsk): PaddedFit {
  const curve = limit?.curve ?? fitted.law
  const stepMs = (batch: number): number => {
    const next = levels.find((level) => level.batch >= batch)?.batch ?? Infinity
    return stepTimeMs(curve, Math.max(batch, Math.min(paddedBatch(sizes, batch), next)))
  }
  return { stepMs, levelMs: (level) => stepTimeMs(curve, level.batch) }
}

function columnMs({ readings }: PaddedLevel, { slo }: SloLimit): number | null {
  const known = readings.flatMap(({ level }) => sloValue(level, slo) ?? [])
  return known.length === 0 ? null : known.reduce((sum, ms) => sum + ms, 0) / known.length
}

/** Least: what grows with the prompt. Most: the TTFT, as far as the slope of the steps has room for it. */
function prefillPerSequenceMs({ fitted }: PaddingQuestion): {
  readonly leastMs: number
  readonly mostMs: number
} {
  const { law, outputTokens, batchMax } = fitted
  const inputTokens = fitted.inputTokens ?? UNKNOWN_INPUT_TOKENS
  const settings = { slots: Math.max(1, Math.floor(batchMax)), stepTokens: null, kvTokens: null }
  const { prefillWorkMs } = engineModel(law, { inputTokens, outputTokens }, settings)
  const most = prefillWorkMs(inputTokens)
  const { p1, p2 } = law.prefillMs
  const least = Math.min(most, p1 * inputTokens + p2 * inputTokens ** 2)
  return { leastMs: least / (outputTokens - 1), mostMs: most / (outputTokens - 1) }
}
