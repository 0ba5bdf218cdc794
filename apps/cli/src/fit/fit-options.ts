/** The options of `loadcurve fit`, from text to values; everything that is wrong is told at once. */
import { findGpu, GPUS } from '@loadcurve/core/capacity/gpu-catalogue'
import { findModel, MODELS } from '@loadcurve/core/capacity/model-catalogue'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import type { TableFacts } from '@loadcurve/core/capacity/table-question'
import { CAPTURE_SIZE_MAX } from '@loadcurve/core/fit/capture-sizes'
import type { ColumnMapping } from '@loadcurve/core/fit/table/header'
import type { Violation } from '../errors.ts'
import { readAssignment, readNumber, readNumbers } from '../options.ts'
import { didYouMean } from '../suggest.ts'
import { readSlo } from './slo-option.ts'

/** As commander hands them over. */
export interface FitOptionTexts {
  readonly inputTokens?: string
  readonly outputTokens?: string
  readonly slo?: readonly string[]
  readonly experts?: string
  readonly expertsPerToken?: string
  readonly captureSizes?: string
  readonly rates?: string
  readonly demand?: string
  readonly gpu?: string
  readonly gpusPerReplica?: string
  readonly price?: string
  readonly model?: string
  readonly curve?: string
  readonly column?: readonly string[]
  readonly seed?: string
  readonly json?: boolean
}

/** What the table does not say, and how to read it. */
export interface FitOptions extends TableFacts {
  readonly curve: string | null
  readonly columns: readonly ColumnMapping[]
  readonly json: boolean
}

const tokensMax = 10_000_000
const ratesMax = 100

/** Reads every option; what is wrong is added to `violations`, and its value is then null or empty. */
export function readFitOptions(texts: FitOptionTexts, violations: Violation[]): FitOptions {
  const number = (option: string, text: string | undefined, range: Parameters<typeof readNumber>[2]) =>
    readNumber(option, text, range, violations)
  const positive = { min: 0, minExclusive: true }
  return {
    inputTokens: number('--input-tokens', texts.inputTokens, { ...positive, max: tokensMax }),
    // With a single token there is no time per further token to fit.
    outputTokens: number('--output-tokens', texts.outputTokens, {
      min: 1,
      minExclusive: true,
      max: tokensMax,
    }),
    slo: readSlos(texts.slo ?? [], violations),
    experts: readExperts(texts, violations),
    captureSizes: readCaptureSizes(texts.captureSizes, violations),
    ratesPerS: readRates(texts.rates, violations),
    demandPerS: number('--demand', texts.demand, positive),
    gpu: readName('--gpu', texts.gpu, gpus, violations),
    gpusPerReplica: number('--gpus-per-replica', texts.gpusPerReplica, { min: 1, max: 1024, integer: true }),
    pricePerGpuHour: number('--price', texts.price, positive),
    model: readName('--model', texts.model, models, violations),
    curve: texts.curve ?? null,
    columns: (texts.column ?? []).flatMap((text) => {
      const found = readAssignment('--column', text, violations)
      return found === null ? [] : [{ name: found.name, header: found.value }]
    }),
    seed: number('--seed', texts.seed, { min: null, integer: true }) ?? 1,
    json: texts.json === true,
  }
}

interface Catalogue {
  readonly noun: string
  readonly names: readonly string[]
  has(name: string): boolean
}

const gpus: Catalogue = {
  noun: 'GPU',
  names: GPUS.map(({ name }) => name),
  has: (name) => findGpu(name) !== null,
}
const models: Catalogue = {
  noun: 'model',
  names: MODELS.map(({ name }) => name),
  has: (name) => findModel(name) !== null,
}

function readName(
  option: string,
  name: string | undefined,
  { noun, names, has }: Catalogue,
  violations: Violation[],
): string | null {
  if (name === undefined) return null
  if (has(name)) return name
  const advice = didYouMean(name, names) || ` Known are ${names.join(', ')}.`
  violations.push({ path: option, message: `"${name}" is no ${noun} of the catalogue.${advice}` })
  return null
}

function readSlos(texts: readonly string[], violations: Violation[]): readonly SloTarget[] {
  const targets: SloTarget[] = []
  for (const text of texts) {
    const target = readSlo(text)
    if (typeof target === 'string') violations.push({ path: '--slo', message: target })
    else if (
      targets.some((other) => other.metric === target.metric && other.percentile === target.percentile)
    ) {
      violations.push({
        path: '--slo',
        message: `limits the same figure twice, the second time with "${text}"`,
      })
    } else targets.push(target)
  }
  return targets
}

function readExperts(texts: FitOptionTexts, violations: Violation[]): FitOptions['experts'] {
  const range = { min: 1, max: 100_000, integer: true }
  const total = readNumber('--experts', texts.experts, range, violations)
  const perToken = readNumber('--experts-per-token', texts.expertsPerToken, range, violations)
  if ((texts.experts === undefined) !== (texts.expertsPerToken === undefined)) {
    const path = texts.experts === undefined ? '--experts' : '--experts-per-token'
    violations.push({ path, message: 'is needed too: the share of experts that a token uses is what counts' })
  }
  if (total === null || perToken === null) return null
  if (perToken <= total) return { total, perToken }
  violations.push({
    path: '--experts-per-token',
    message: `must be at most --experts (${total}), got "${perToken}"`,
  })
  return null
}

/** `none`, or the sizes. */
function readCaptureSizes(text: string | undefined, violations: Violation[]): FitOptions['captureSizes'] {
  if (text === undefined) return null
  if (text.trim() === 'none') return []
  const path = '--capture-sizes'
  if (text.trim() === '') {
    violations.push({ path, message: 'must list the sizes, such as "1,2,4,8", or be "none"' })
    return null
  }
  return readNumbers(path, text, { min: 1, max: CAPTURE_SIZE_MAX, integer: true }, violations)
}

function readRates(text: string | undefined, violations: Violation[]): readonly number[] {
  const rates = readNumbers('--rates', text, { min: 0, minExclusive: true }, violations)
  if (rates.length <= ratesMax) return rates
  violations.push({ path: '--rates', message: `takes at most ${ratesMax} rates, got ${rates.length}` })
  return []
}
