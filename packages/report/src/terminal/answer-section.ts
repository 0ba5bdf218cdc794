/** The recommendation card: the one number, how sure it is, what limits it, and what it gives. */
import type {
  BatchRecommendation,
  LatencySummary,
  OperatingPoint,
  Recommendation,
  Saturation,
} from '@loadcurve/core/capacity/recommendation'
import { limitText } from '../slo-text.ts'
import { definitionList } from './layout.ts'
import { numberText, rangeText } from './number-text.ts'
import type { Style } from './style.ts'

export function answerSection(recommendation: Recommendation, style: Style): readonly string[] {
  return [
    style.heading('Recommendation'),
    ...definitionList(
      [
        ...batchEntries(recommendation, style),
        ...(recommendation.operatingPoint === null
          ? []
          : operatingEntries(recommendation.operatingPoint, style)),
      ],
      style.columns,
    ),
  ]
}

type Entry = readonly [name: string, value: string]

function batchEntries({ verdict, reasons, batch }: Recommendation, style: Style): readonly Entry[] {
  const { symbols } = style
  const entries: Entry[] = []
  if (batch.recommended === null) entries.push(['batch size', style.bad(noBatchText(verdict, reasons))])
  else entries.push(['batch size', style.good(`${batch.recommended} (the server’s max_num_seqs)`)])
  if (batch.interval !== null) entries.push(['interval', `${rangeText(batch.interval, symbols)} (90 %)`])
  if (batch.limitedBy !== null) entries.push(['limited by', limitText(batch.limitedBy)])
  if (batch.saturation !== null) entries.push(['saturation', saturationText(batch.saturation, style)])
  return [...entries, ...routerEntries(batch, style)]
}

// No promise is to blame when the model cannot even be loaded.
function noBatchText(verdict: Recommendation['verdict'], reasons: readonly string[]): string {
  if (reasons.includes('weights-do-not-fit')) return 'none: the model does not fit into these GPUs'
  return noBatchWords[verdict]
}

const noBatchWords = {
  recommended: 'none',
  inconclusive: 'no recommendation: the measurements do not carry one',
  infeasible: 'none: the promise cannot be kept at any batch size',
} as const

function saturationText({ decodeBatch, bottleneck, evidence }: Saturation, { symbols }: Style): string {
  const cause =
    bottleneck === 'unknown' ? 'what stops it is unknown' : `stopped by ${bottleneckWords[bottleneck]}`
  const source = evidence === 'client-only' ? 'seen from the client only' : 'the server’s own metrics say so'
  return `at ${numberText(decodeBatch, symbols)} requests in decode; ${cause} (${source})`
}

const bottleneckWords = { slots: 'its slots', kv: 'KV-cache memory', prefill: 'prefill' } as const

function routerEntries(batch: BatchRecommendation, { symbols }: Style): readonly Entry[] {
  const entries: Entry[] = []
  if (batch.operating !== null) {
    entries.push([
      'operating',
      `${numberText(batch.operating, symbols)} requests in decode on average at the largest load`,
    ])
  }
  if (batch.admissionLimit !== null) {
    entries.push([
      'admission',
      `${batch.admissionLimit} requests in flight at most, for the router, per replica`,
    ])
  }
  return entries
}

function operatingEntries(point: OperatingPoint, { symbols }: Style): readonly Entry[] {
  const perGpu =
    point.outputTokensPerSPerGpu === null
      ? ''
      : `, ${numberText(point.outputTokensPerSPerGpu, symbols)} per GPU`
  return [
    [
      'gives',
      `${numberText(point.concurrency, symbols)} in flight, ${numberText(point.requestsPerS, symbols)} requests/s, ` +
        `${numberText(point.outputTokensPerS, symbols)} output tokens/s${perGpu} (${point.source})`,
    ],
    ['TTFT', latencyText(point.ttftMs)],
    ['TPOT', latencyText(point.tpotMs)],
  ].flatMap(([name = '', value]) => (value === undefined || value === '' ? [] : [[name, value] as const]))

  function latencyText(summary: LatencySummary): string {
    const parts = (['mean', 'p50', 'p90', 'p95', 'p99'] as const).flatMap((statistic) => {
      const value = summary[statistic]
      return value === null ? [] : [`${statistic} ${numberText(value, symbols)}`]
    })
    return parts.length === 0 ? '' : `${parts.join(', ')} ms`
  }
}
