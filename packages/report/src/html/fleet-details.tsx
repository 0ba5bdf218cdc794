/** What the fleet is made of and what it costs at each load, for whoever signs for it. */
import type { FleetAnswer } from '@loadcurve/core/capacity/recommendation'
import { intervalText, moneyText, numberText, unitText } from '../format.ts'
import { Facts, KnownFact, ScrollRegion, Section } from './facts.tsx'
import { NumberTable } from './number-table.tsx'

export function FleetDetails({ fleet }: { fleet: FleetAnswer | null }) {
  if (fleet === null) return null
  return (
    <Section title="Fleet and cost" id="fleet">
      <Facts>
        <KnownFact name="Replicas" text={replicasText(fleet)} />
        <KnownFact name="GPUs" text={gpusText(fleet)} />
        <KnownFact name="Sized for" text={demandText(fleet)} />
        <KnownFact name="Router" text={routerText(fleet)} />
        <KnownFact name="Cost" text={costText(fleet)} />
        <KnownFact name="Per successful request" text={moneyText(fleet.costPerSuccessfulRequest)} />
        <KnownFact name="Job" text={unitText(fleet.jobHours, 'hours')} />
        <KnownFact name="Against the API" text={breakEvenText(fleet)} />
      </Facts>
      {fleet.costPerHour === null ? null : <CostTable fleet={fleet} />}
    </Section>
  )
}

function CostTable({ fleet }: { fleet: FleetAnswer }) {
  const rows = [
    { name: 'Output tokens', cost: fleet.costPerMillionOutputTokens },
    { name: 'Input tokens', cost: fleet.costPerMillionInputTokens },
    { name: 'All tokens', cost: fleet.costPerMillionBlendedTokens },
  ]
  return (
    <ScrollRegion label="Cost per million tokens">
      <NumberTable
        caption="USD per million tokens: one replica at its largest permitted rate, and the whole fleet, spares included, at peak and at mean demand."
        columns={[{ name: 'Per million' }, { name: 'At capacity' }, { name: 'At peak' }, { name: 'At mean' }]}
        rows={rows.map(({ name, cost }) => ({
          key: name,
          cells: [name, moneyText(cost.atCapacity), moneyText(cost.atPeak), moneyText(cost.atMean)],
        }))}
      />
    </ScrollRegion>
  )
}

function replicasText({ replicas, spares, interval }: FleetAnswer): string {
  const spare = spares === 0 ? 'no spare among them' : `${spares} of them spare`
  return `${numberText(replicas)}, ${spare}; 90 % interval ${intervalText(interval)}`
}

function gpusText({ gpus, nodes }: FleetAnswer): string {
  return nodes === null ? numberText(gpus) : `${numberText(gpus)} on ${numberText(nodes)} whole nodes`
}

function demandText({ demand, requestsPerSPerReplica }: FleetAnswer): string {
  const mean = demand.meanRequestsPerS === null ? '' : `, mean ${numberText(demand.meanRequestsPerS)}`
  return `${numberText(demand.sizedForRequestsPerS)} requests/s (peak ${numberText(demand.peakRequestsPerS)} with its bursts${mean}), ${numberText(requestsPerSPerReplica)} a replica`
}

function routerText({ router }: FleetAnswer): string {
  const pooled = router.pooledQueue === null ? '' : `, ${router.pooledQueue} with one queue for all`
  return `${router.independentQueues} replicas with random routing${pooled}`
}

function costText({ costPerHour, costPerMonth, priceDate }: FleetAnswer): string {
  if (costPerHour === null) return ''
  const month = costPerMonth === null ? '' : `, ${moneyText(costPerMonth)} a month`
  return `${moneyText(costPerHour)} an hour${month}${priceDate === null ? '' : ` (price of ${priceDate})`}`
}

function breakEvenText({ breakEven }: FleetAnswer): string {
  if (breakEven === null) return ''
  const cheaper = breakEven.cheaper === 'own' ? 'the fleet is cheaper' : 'the API is cheaper'
  return breakEven.requestsPerS === null
    ? `${cheaper}; no load makes the fleet pay`
    : `${cheaper}; the fleet pays from ${numberText(breakEven.requestsPerS)} requests/s on, held all the time. At peak the API would cost ${moneyText(breakEven.apiCostPerHourAtPeak)} an hour`
}
