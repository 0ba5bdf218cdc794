/** Latency at arrival rates, as the fitted replica is predicted to answer, and which promise binds first. */
import type { BoundedLatency, OpenLoopAnswer } from '@loadcurve/core/capacity/recommendation'
import { codeText } from '../codes.ts'
import { intervalText, numberText, percentText, UNKNOWN } from '../format.ts'
import { ScrollRegion, Section } from './facts.tsx'
import { NumberTable } from './number-table.tsx'

export function OpenLoopTable({ openLoop }: { openLoop: OpenLoopAnswer | null }) {
  if (openLoop === null || openLoop.at.length === 0) return null
  return (
    <Section title="Under arrivals that do not wait" id="open-loop-table">
      {openLoop.bindingOrderInWords === null ? null : <p>{openLoop.bindingOrderInWords}</p>}
      <ScrollRegion label="Table of arrival rates">
        <NumberTable
          caption="Predicted for one replica as it was measured; latencies in ms, TTFT from the scheduled instant, ranges of 90 % in which a test of 200 requests would land."
          columns={[
            { name: 'Requests/s' },
            { name: 'Utilisation' },
            { name: 'Decode batch' },
            { name: 'TTFT p50' },
            { name: 'TTFT p95' },
            { name: 'TTFT p95 range' },
            { name: 'TPOT p50' },
            { name: 'TPOT p95' },
            { name: 'TPOT p95 range' },
            { name: 'Refused', isText: true },
          ]}
          rows={openLoop.at.map((point) => ({
            key: String(point.requestsPerS),
            cells: [
              numberText(point.requestsPerS),
              percentText(point.utilisation),
              numberText(point.decodeBatch),
              ...latency(point.ttftMs),
              ...latency(point.tpotMs),
              point.refused === null ? '' : codeText(point.refused).meaning,
            ],
          }))}
        />
      </ScrollRegion>
    </Section>
  )
}

function latency(figures: BoundedLatency | null): readonly string[] {
  if (figures === null) return [UNKNOWN, UNKNOWN, UNKNOWN]
  return [numberText(figures.p50), numberText(figures.p95), intervalText(figures.p95Bound)]
}
