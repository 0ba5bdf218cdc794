/** What `loadcurve probe` was asked to do: every option read and judged, every violation told at once. */
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { judgeTargetUrl, parseTargetPolicy, type TargetPolicy } from '@loadcurve/core/plan/target-policy'
import { UsageError, type Violation } from '../errors.ts'
import { readSlo } from '../fit/slo-option.ts'
import { type NumberRange, readNumber } from '../options.ts'

/** As commander hands them over. */
export interface ProbeFlags {
  readonly url?: string
  readonly model?: string
  readonly concurrency?: string
  readonly rate?: string
  readonly requests?: string
  readonly inputTokens?: string
  readonly outputTokens?: string
  readonly endpoint: string
  readonly arrival: string
  readonly apiKeyRef?: string
  readonly metricsUrl?: string
  readonly thinkTime: string
  readonly ignoreEos: boolean
  readonly expectJson?: boolean
  readonly slo: readonly string[]
  readonly seed: string
  readonly json?: boolean
}

export interface ProbeOptions {
  readonly baseUrl: string
  readonly model: string
  /** One of the two is set. */
  readonly concurrency: number | null
  readonly ratePerS: number | null
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly endpoint: 'chat' | 'completions'
  readonly arrival: 'poisson' | 'constant'
  readonly apiKeyRef: string | null
  readonly metricsUrl: string | null
  readonly thinkTimeS: number
  readonly ignoreEos: boolean
  readonly expectJson: boolean
  readonly slo: readonly SloTarget[]
  readonly seed: number
  readonly allowList: string
}

const count: NumberRange = { min: 1, max: 10_000_000, integer: true }
const tokens: NumberRange = { min: 1, max: 1_000_000, integer: true }

/** @throws UsageError with every violation */
export function readProbeOptions(
  flags: ProbeFlags,
  env: Readonly<Record<string, string | undefined>>,
): ProbeOptions {
  const violations: Violation[] = []
  const number = (path: string, text: string | undefined, range: NumberRange): number => {
    if (text === undefined) violations.push({ path, message: 'is required' })
    return readNumber(path, text, range, violations) ?? Number.NaN
  }
  const allowList = env['LOADCURVE_TARGETS'] ?? ''
  const options: ProbeOptions = {
    baseUrl: readUrl('--url', flags.url, allowList, violations),
    model: readText('--model', flags.model, violations),
    ...readLoad(flags, violations),
    requests: number('--requests', flags.requests, count),
    inputTokens: number('--input-tokens', flags.inputTokens, tokens),
    outputTokens: number('--output-tokens', flags.outputTokens, tokens),
    endpoint: readChoice('--endpoint', flags.endpoint, ['chat', 'completions'] as const, violations),
    arrival: readChoice('--arrival', flags.arrival, ['poisson', 'constant'] as const, violations),
    apiKeyRef: readKeyName(flags.apiKeyRef, violations),
    metricsUrl:
      flags.metricsUrl === undefined
        ? null
        : readUrl('--metrics-url', flags.metricsUrl, allowList, violations),
    thinkTimeS: number('--think-time', flags.thinkTime, { min: 0, max: 3600 }),
    ignoreEos: flags.ignoreEos,
    expectJson: flags.expectJson === true,
    slo: readSlos(flags.slo, violations),
    seed: number('--seed', flags.seed, { min: 0, max: Number.MAX_SAFE_INTEGER, integer: true }),
    allowList,
  }
  if (violations.length > 0) throw new UsageError(violations)
  return options
}

function readLoad(
  { concurrency, rate }: ProbeFlags,
  violations: Violation[],
): { concurrency: number | null; ratePerS: number | null } {
  if ((concurrency === undefined) === (rate === undefined)) {
    const message = concurrency === undefined ? 'or --rate is required' : 'and --rate exclude each other'
    violations.push({ path: '--concurrency', message })
  }
  return {
    concurrency: readNumber(
      '--concurrency',
      concurrency,
      { min: 1, max: 100_000, integer: true },
      violations,
    ),
    ratePerS: readNumber('--rate', rate, { min: 0, minExclusive: true, max: 100_000 }, violations),
  }
}

function readText(path: string, text: string | undefined, violations: Violation[]): string {
  if (text === undefined || text.trim() === '') violations.push({ path, message: 'is required' })
  return text ?? ''
}

function readChoice<T extends string>(
  path: string,
  text: string,
  choices: readonly [T, ...T[]],
  violations: Violation[],
): T {
  const chosen = choices.find((choice) => choice === text)
  if (chosen === undefined)
    violations.push({ path, message: `must be ${choices.join(' or ')}, got "${text}"` })
  return chosen ?? choices[0]
}

function readKeyName(text: string | undefined, violations: Violation[]): string | null {
  if (text === undefined) return null
  if (!/^[A-Za-z0-9_]{1,64}$/.test(text)) {
    violations.push({ path: '--api-key-ref', message: 'must be the name of a key: letters, digits and _' })
  }
  return text
}

function readUrl(path: string, text: string | undefined, allowList: string, violations: Violation[]): string {
  const url = readText(path, text, violations)
  const policy = readPolicy(allowList, violations)
  const refusal = url === '' || policy === null ? null : judgeTargetUrl(url, policy)
  if (refusal !== null) violations.push({ path, message: `${refusal.message}. ${refusal.whatToDo}.` })
  // Nearly every server has its API under /v1; who writes any path at all means that one.
  return path === '--url' && /^https?:\/\/[^/?#]+\/?$/.test(url) ? `${url.replace(/\/$/, '')}/v1` : url
}

function readPolicy(allowList: string, violations: Violation[]): TargetPolicy | null {
  try {
    return parseTargetPolicy(allowList)
  } catch (error) {
    violations.push({ path: 'LOADCURVE_TARGETS', message: (error as Error).message })
    return null
  }
}

function readSlos(texts: readonly string[], violations: Violation[]): SloTarget[] {
  return texts.flatMap((text) => {
    const slo = readSlo(text)
    if (typeof slo !== 'string') return [slo]
    violations.push({ path: '--slo', message: slo })
    return []
  })
}
