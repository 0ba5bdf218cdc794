/**
 * Before a run: is the target what the plan thinks it is? Each question is asked with as little load as it needs, one
 * request at a time, and every wait is bounded. The first blocking finding ends it: what follows could not be trusted.
 *
 * On the way it measures what the run needs: the cost of our words in tokens, who the server is, and the time to first
 * token of an idle server at three prompt lengths (with max_tokens 1, so that it is prefill and nothing else).
 */

import { type Fingerprint, takeFingerprint } from '../fingerprint/fingerprint.ts'
import { type PromptCalibration, UNCALIBRATED } from '../prompts/calibration.ts'
import { openTarget, type TargetOptions } from '../target/agent.ts'
import { TargetRefusedError } from '../target/connector.ts'
import { openVisitor, type Visitor } from '../target/visitor.ts'
import type { MetricsMapping } from '../target-metrics/mapping.ts'
import { Asker, type AskerOptions, type ZeroLoadProbe } from './asker.ts'
import {
  bundlesTokens,
  checkContinuousUsage,
  checkIgnoreEos,
  checkPrefixCache,
  checkStreaming,
  checkUsage,
  type SeenAnswer,
} from './behaviour.ts'
import { blocker, type Finding, failedRequest, warning } from './finding.ts'
import { checkIdle } from './idle.ts'
import { checkReach } from './reach.ts'

export interface PreflightOptions
  extends Pick<AskerOptions, 'model' | 'stream' | 'ignoreEos' | 'extraBody' | 'tokenizeUrl'> {
  /** How to reach the target; its deadlines are shortened to those of preflight. */
  readonly target: Omit<TargetOptions, 'connections'>
  readonly metricsUrl: string | null
  /** Null: recognised by the names on the metrics page. */
  readonly metricsMapping: MetricsMapping | null
  /** Prompt lengths at which the idle server is probed, tokens; three or more, around those of the workload. */
  readonly probeInputTokens: readonly number[]
  /** Probes at each length; the median counts. Default 3. */
  readonly probesPerLength?: number
  /** Longest wait for each small question, ms. Default 5000. */
  readonly questionTimeoutMs?: number
  /** Longest wait for the first byte of an answer, and between two events, ms. Default 20000. */
  readonly answerTimeoutMs?: number
  readonly signal?: AbortSignal
}

export interface PreflightReport {
  /** No finding blocks. */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** Null when the target does not count its prompts' tokens. */
  readonly calibration: PromptCalibration | null
  readonly probes: readonly ZeroLoadProbe[]
  readonly fingerprint: Fingerprint | null
  /** Events hold several tokens and the server tells how many when asked: ask it under load too. */
  readonly continuousUsage: boolean
}

const BEHAVIOUR_QUESTION = { words: 40, outputTokens: 64 } as const
const REPEATED_WORDS = 400

/** Runs all checks; never rejects for what the target does. */
export async function runPreflight(options: PreflightOptions): Promise<PreflightReport> {
  try {
    const target = openTarget({ ...options.target, connections: 1, deadlines: deadlinesOf(options) })
    const visitor = openVisitor(options.target)
    try {
      return await inspect(options, new Asker({ ...options, target, visitor }), visitor)
    } finally {
      await Promise.all([target.close(), visitor.close()])
    }
  } catch (error) {
    if (!(error instanceof TargetRefusedError)) throw error
    return reportOf([blocker(error.code, `${error.message}.`, `${error.whatToDo}.`)])
  }
}

async function inspect(options: PreflightOptions, asker: Asker, visitor: Visitor): Promise<PreflightReport> {
  const { model, metricsUrl, target, questionTimeoutMs: timeoutMs = 5000 } = options
  const common = { visitor, baseUrl: target.baseUrl, model, timeoutMs, ...withSignal(options.signal) }
  const findings = await checkReach(common)
  if (isBlocked(findings)) return reportOf(findings)
  const seen = await asker.ask(BEHAVIOUR_QUESTION)
  findings.push(...behaviourFindings(seen, options))
  if (isBlocked(findings)) return reportOf(findings)
  const perEvent = bundlesTokens(seen)
    ? checkContinuousUsage(await asker.ask({ ...BEHAVIOUR_QUESTION, continuousUsage: true }))
    : null
  if (perEvent !== null) findings.push(perEvent)
  const calibration = await asker.calibrate()
  if (calibration === null) findings.push(promptTokensUnknown)
  findings.push(await checkRepeat(asker))
  const probes = await probeLengths(asker, options, calibration ?? UNCALIBRATED)
  if (metricsUrl !== null) {
    findings.push(
      await checkIdle({
        visitor,
        metricsUrl,
        mapping: options.metricsMapping,
        timeoutMs,
        nowMs: target.nowMs,
      }),
    )
  }
  return {
    ...reportOf(findings),
    calibration,
    probes,
    fingerprint: await takeFingerprint({ ...common, metricsUrl }),
    continuousUsage: perEvent?.ok ?? false,
  }
}

async function probeLengths(
  asker: Asker,
  { probeInputTokens, probesPerLength = 3 }: PreflightOptions,
  calibration: PromptCalibration,
): Promise<ZeroLoadProbe[]> {
  const probes: ZeroLoadProbe[] = []
  for (const inputTokens of probeInputTokens) {
    const probe = await asker.probe(inputTokens, calibration, probesPerLength)
    if (probe !== null) probes.push(probe)
  }
  return probes
}

function deadlinesOf({ target, answerTimeoutMs = 20_000, questionTimeoutMs = 5000 }: PreflightOptions) {
  const { connectMs = Infinity, firstByteMs = Infinity, betweenEventsMs = Infinity } = target.deadlines ?? {}
  return {
    ...target.deadlines,
    connectMs: Math.min(connectMs, questionTimeoutMs),
    firstByteMs: Math.min(firstByteMs, answerTimeoutMs),
    betweenEventsMs: Math.min(betweenEventsMs, answerTimeoutMs),
    totalMs: 3 * answerTimeoutMs,
  }
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

function isBlocked(findings: readonly Finding[]): boolean {
  return findings.some(({ blocking }) => blocking)
}

function reportOf(findings: readonly Finding[]): PreflightReport {
  return {
    ok: !isBlocked(findings),
    findings,
    calibration: null,
    probes: [],
    fingerprint: null,
    continuousUsage: false,
  }
}

const promptTokensUnknown = warning(
  'prompt-tokens-unknown',
  'The server does not tell how many tokens a prompt has, so prompt lengths are guesses.',
  'Use a server version that reports usage.prompt_tokens, or name its tokenizer in target.tokenizeUrl.',
)

function behaviourFindings(seen: SeenAnswer, options: PreflightOptions): Finding[] {
  if (seen.result.outcome !== 'ok')
    return [failedRequest(`${options.target.baseUrl} (${options.model})`, seen.result)]
  return [
    ...(options.stream ? [checkStreaming(seen)] : []),
    checkUsage(seen),
    ...(options.ignoreEos ? [checkIgnoreEos(seen)] : []),
  ]
}

async function checkRepeat(asker: Asker): Promise<Finding> {
  const fresh = await asker.ask({ words: REPEATED_WORDS, outputTokens: 1 })
  const repeated = await asker.ask({ words: REPEATED_WORDS, outputTokens: 1, again: true })
  return checkPrefixCache(fresh.result, repeated.result)
}
