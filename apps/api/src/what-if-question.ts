/** From the words of a what-if to the change that core answers, and to the changed question that is simulated. */
import type { CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { WhatIfAnswer, WhatIfChange } from '@loadcurve/core/capacity/what-if'
import type { LengthDistribution } from '@loadcurve/core/load/lengths'
import type { SloTarget } from '@loadcurve/core/slo/target'

/** What is asked differently; what is left out stays as it was. */
export interface WhatIfWords {
  readonly slo?: readonly SloTarget[]
  readonly peakRequestsPerS?: number
  /** USD. */
  readonly pricePerGpuHour?: number
  /** Mean tokens. */
  readonly inputTokens?: number
  readonly outputTokens?: number
}

export function changeOf({ demand, purchase, traffic }: CapacityQuestion, words: WhatIfWords): WhatIfChange {
  const { slo, peakRequestsPerS, pricePerGpuHour, inputTokens, outputTokens } = words
  return {
    ...(slo === undefined ? {} : { slo }),
    ...(peakRequestsPerS === undefined ? {} : { demand: otherPeak(demand, peakRequestsPerS) }),
    ...(pricePerGpuHour === undefined ? {} : { purchase: { ...purchase, pricePerGpuHour } }),
    ...(inputTokens === undefined ? {} : { inputTokens: otherMean(traffic.inputTokens, inputTokens) }),
    ...(outputTokens === undefined ? {} : { outputTokens: otherMean(traffic.outputTokens, outputTokens) }),
  }
}

/** The question with the change made: what is simulated. */
export function changedQuestion(question: CapacityQuestion, change: WhatIfChange): CapacityQuestion {
  const { traffic } = question
  return {
    ...question,
    slo: change.slo ?? question.slo,
    demand: change.demand === undefined ? question.demand : change.demand,
    purchase: change.purchase ?? question.purchase,
    traffic: {
      ...traffic,
      inputTokens: change.inputTokens ?? traffic.inputTokens,
      outputTokens: change.outputTokens ?? traffic.outputTokens,
    },
  }
}

/** The instant answer in the shape of the full one, so that whoever asks reads both alike; the rest is null. */
export function instantRecommendation(answer: WhatIfAnswer): Partial<Recommendation> {
  const { verdict, reasons, caveats, batch, requestsPerS, utilisation, fleet } = answer
  return {
    schemaVersion: 1,
    verdict,
    reasons,
    caveats,
    batch: { ...batch, admissionLimit: null, saturation: null },
    openLoop:
      requestsPerS === null
        ? null
        : {
            maxRequestsPerS: requestsPerS,
            interval: null,
            estimateRequestsPerS: requestsPerS,
            utilisation,
            predicted: null,
            verified: null,
            bindingOrder: [],
            bindingOrderInWords: null,
            at: [],
          },
    fleet,
  }
}

// A known mean keeps its share of the peak.
function otherPeak(demand: CapacityQuestion['demand'], peakRequestsPerS: number): CapacityQuestion['demand'] {
  const { peakRequestsPerS: peak = null, meanRequestsPerS: mean = null } = demand ?? {}
  return {
    peakRequestsPerS,
    meanRequestsPerS: peak === null || mean === null ? null : (mean / peak) * peakRequestsPerS,
    users: null,
    thinkTimeS: null,
    hourlyRequestsPerS: null,
    job: null,
    burstFactor: demand?.burstFactor ?? 1,
    spareReplicas: demand?.spareReplicas ?? 0,
  }
}

/** The spread of lengths that are only known by their mean. */
const UNKNOWN_CV = 0.1

function otherMean(length: LengthDistribution | null, mean: number): LengthDistribution {
  const isDrawn = length !== null && length.distribution !== 'empirical'
  const cv = isDrawn ? length.stdev / length.mean : UNKNOWN_CV
  return { distribution: isDrawn ? length.distribution : 'normal', mean, stdev: cv * mean }
}
