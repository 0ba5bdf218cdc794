/** The fleet that carries the demand, and what it costs. */
import type { CostAtLoads, FleetAnswer } from '@loadcurve/core/capacity/recommendation'
import { definitionList } from './layout.ts'
import { numberText, rangeText } from './number-text.ts'
import type { Style } from './style.ts'

type Entry = readonly [name: string, value: string]

export function fleetSection(fleet: FleetAnswer, style: Style): readonly string[] {
  const entries = [
    ...sizeEntries(fleet, style),
    ...costEntries(fleet, style),
    ...breakEvenEntries(fleet, style),
  ]
  return [style.heading('Fleet'), ...definitionList(entries, style.columns)]
}

function sizeEntries(fleet: FleetAnswer, { symbols }: Style): readonly Entry[] {
  const { demand, router } = fleet
  const number = (value: number) => numberText(value, symbols)
  const nodes = fleet.nodes === null ? '' : ` on ${fleet.nodes} nodes`
  const spares = fleet.spares === 0 ? '' : `, ${fleet.spares} of them spare`
  const pooled = router.pooledQueue === null ? '' : `, ${router.pooledQueue} with one queue for all`
  return [
    [
      'replicas',
      `${fleet.replicas} (${rangeText(fleet.interval, symbols)})${spares}: ${fleet.gpus} GPUs${nodes}`,
    ],
    [
      'demand',
      `${number(demand.sizedForRequestsPerS)} requests/s at the peak with its bursts, ` +
        `${number(fleet.requestsPerSPerReplica)} requests/s a replica`,
    ],
    ['router', `${router.independentQueues} replicas with random routing${pooled}`],
    ...(fleet.classes === null ? [] : [['classes', fleet.classes.adviceInWords] as const]),
    ...(fleet.jobHours === null ? [] : [['job', `${number(fleet.jobHours)} hours`] as const]),
  ]
}

function costEntries(fleet: FleetAnswer, style: Style): readonly Entry[] {
  const { symbols } = style
  if (fleet.costPerHour === null) return []
  const month = fleet.costPerMonth === null ? '' : `, $${numberText(fleet.costPerMonth, symbols)} a month`
  const date = fleet.priceDate === null ? '' : ` (price of ${fleet.priceDate})`
  return [
    ['cost', `$${numberText(fleet.costPerHour, symbols)} an hour${month}${date}`],
    ...perMillion('output tokens', fleet.costPerMillionOutputTokens, style),
    ...perMillion('input tokens', fleet.costPerMillionInputTokens, style),
    ...perMillion('all tokens', fleet.costPerMillionBlendedTokens, style),
    ...(fleet.costPerSuccessfulRequest === null
      ? []
      : [
          [
            'request',
            `$${numberText(fleet.costPerSuccessfulRequest, symbols)} per successful request`,
          ] as const,
        ]),
  ]
}

function perMillion(
  name: string,
  { atCapacity, atPeak, atMean }: CostAtLoads,
  { symbols }: Style,
): readonly Entry[] {
  const parts = [
    [atCapacity, 'at capacity'],
    [atPeak, 'at peak'],
    [atMean, 'at mean demand'],
  ] as const
  const known = parts.flatMap(([cost, load]) =>
    cost === null ? [] : [`$${numberText(cost, symbols)} ${load}`],
  )
  return known.length === 0 ? [] : [[name, `${known.join(', ')}, per million`]]
}

function breakEvenEntries({ breakEven }: FleetAnswer, { symbols }: Style): readonly Entry[] {
  if (breakEven === null) return []
  const cheaper = breakEven.cheaper === 'own' ? 'the own fleet is cheaper' : 'the API is cheaper'
  const from =
    breakEven.requestsPerS === null
      ? 'no load makes the fleet cheaper'
      : `the fleet pays from ${numberText(breakEven.requestsPerS, symbols)} requests/s on, held all the time`
  return [['against API', `${cheaper}; ${from}`]]
}
