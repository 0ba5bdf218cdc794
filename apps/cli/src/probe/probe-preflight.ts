/** Preflight of a probe: what must hold before anything can be measured, and what is only worth knowing. */
import type { Plan } from '@loadcurve/core/plan/schema'
import type { Finding } from '@loadcurve/loadgen/preflight/finding'
import { type PreflightReport, runPreflight } from '@loadcurve/loadgen/preflight/preflight'
import { stepTargetOptions } from '@loadcurve/loadgen/step-target'
import { openVisitor } from '@loadcurve/loadgen/target/visitor'
import { recogniseEngine } from '@loadcurve/loadgen/target-metrics/mapping'
import { parsePrometheusText } from '@loadcurve/loadgen/target-metrics/prometheus-text'

export interface ProbePreflight {
  readonly report: PreflightReport
  /** Why nothing can be measured, null when something can. */
  readonly blocked: Finding | null
  /** Where the server's own metrics are, null when it has none that we know. */
  readonly metricsUrl: string | null
}

type TargetOptions = Parameters<typeof runPreflight>[0]['target']

// A probe of one level measures what it is given and says what is odd about it; a run, which compares, refuses these.
const tolerated = ['not-streamed', 'stream-buffered', 'prefix-cache-not-isolated', 'foreign-traffic']
const attemptsMax = 4
const answerTimeoutMs = 15_000
const metricsTimeoutMs = 2000

export async function preflightProbe(options: {
  readonly plan: Plan
  readonly allowList: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly nowMs: () => number
  readonly signal: AbortSignal
}): Promise<ProbePreflight> {
  const { plan, signal } = options
  const policy = { allowList: options.allowList, ownEndpoints: [] }
  const target = stepTargetOptions({ target: plan.target, policy }, options)
  const metricsUrl = plan.target.metricsUrl ?? (await findMetrics(target, signal))
  for (let attempt = 1; ; attempt++) {
    const report = await runPreflight({
      target,
      metricsUrl,
      metricsMapping: null,
      model: plan.target.model,
      stream: plan.target.stream,
      ignoreEos: plan.workload.ignoreEos,
      extraBody: plan.target.extraBody,
      tokenizeUrl: plan.target.tokenizeUrl,
      probeInputTokens: [plan.workload.inputTokens.mean],
      probesPerLength: 1,
      answerTimeoutMs,
      signal,
    })
    const blocked =
      report.findings.find(({ blocking, code }) => blocking && !tolerated.includes(code)) ?? null
    const isFinal = blocked === null || attempt >= attemptsMax || !isPassing(blocked, report)
    if (isFinal || signal.aborted) return { report, blocked, metricsUrl }
  }
}

// A server that fails now and then is worth measuring; one that fails every time is not.
function isPassing({ code }: Finding, { findings }: PreflightReport): boolean {
  const isReached = findings.some((finding) => finding.code === 'reachable' && finding.ok)
  return isReached && !permanent.includes(code)
}

const permanent = [
  'unauthorized',
  'forbidden',
  'not_found',
  'bad_request',
  'model-unknown',
  'not_json',
  'redirect_not_followed',
  'first_byte_timeout',
  'idle_timeout',
  'timeout',
]

/** Most engines have their metrics at the root of the same origin. */
async function findMetrics(target: TargetOptions, signal: AbortSignal): Promise<string | null> {
  const visitor = openVisitor(target)
  try {
    const url = `${new URL(target.baseUrl).origin}/metrics`
    const answer = await visitor.visit({ url, timeoutMs: metricsTimeoutMs, signal })
    if (!answer.ok || answer.status !== 200) return null
    return recogniseEngine(parsePrometheusText(answer.text)) === null ? null : url
  } finally {
    await visitor.close()
  }
}
