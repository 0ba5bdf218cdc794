/** The fit for those who check it: its law, its error, and every level predicted beside measured. */
import type { FitLevelReport, FitReport } from '@loadcurve/core/capacity/recommendation'
import { codeText } from '../codes.ts'
import { intervalText, numberText, percentText, UNKNOWN, unitText } from '../format.ts'
import { type RunReport, stepOfLabel } from '../run-report.ts'
import { Facts, KnownFact, ScrollRegion, Section } from './facts.tsx'
import { NumberTable } from './number-table.tsx'

export function FitDetails({ report }: { report: RunReport }) {
  const fit = report.recommendation?.fit ?? null
  if (fit === null) return null
  return (
    <Section title="The fit" id="fit">
      <Facts>
        <KnownFact name="Step time" text={lawText(fit)} />
        <KnownFact
          name="Error"
          text={
            fit.looErrorFraction === null
              ? ''
              : `${percentText(fit.looErrorFraction)} of TPOT on average, each level predicted from the others`
          }
        />
        <KnownFact name="Converged" text={fit.converged ? 'yes' : 'no: read it with care'} />
        <KnownFact name="Saturation" text={saturationText(report)} />
        <KnownFact name="Knee" text={kneeText(fit)} />
        <KnownFact name="Memory" text={memoryText(report)} />
      </Facts>
      <ScrollRegion label="Table of the fit">
        <NumberTable
          caption="Measured beside predicted. Bound: 90 % for the prediction; from others: what the fit without this level says of it. Latencies in ms."
          columns={[
            { name: 'Level' },
            { name: 'Decode batch' },
            { name: 'TPOT measured' },
            { name: 'TPOT predicted' },
            { name: 'TPOT bound' },
            { name: 'TPOT from others' },
            { name: 'Requests/s measured' },
            { name: 'Requests/s predicted' },
            { name: 'In the fit', isText: true },
          ]}
          rows={fit.levels.map((level) => ({
            key: level.label,
            cells: cells(report, level),
            isMuted: level.excluded !== null,
          }))}
        />
      </ScrollRegion>
    </Section>
  )
}

function cells(report: RunReport, level: FitLevelReport): readonly string[] {
  return [
    stepOfLabel(report, level.label) ?? level.label,
    numberText(level.decodeBatch),
    numberText(level.tpotMs),
    numberText(level.predictedTpotMs),
    intervalText(level.boundTpotMs),
    numberText(level.looPredictedTpotMs),
    numberText(level.requestsPerS),
    numberText(level.predictedRequestsPerS),
    level.excluded === null ? 'yes' : `no: ${codeText(level.excluded).meaning}`,
  ]
}

const LAW_WORDS: Readonly<Record<string, string>> = {
  linear: 'a + s·b',
  sqrt: 'a + s·b + d·√b',
  moe: 'a + s·b + d·(1 − (1 − k/E)^b)',
}

function lawText({ model, params }: FitReport): string {
  if (model === 'none') return 'no law fits'
  if (model === 'isotonic') return 'no law fits: straight lines between the measured levels'
  const { baseMs, slopeMs, shapeMs } = params
  const shape = model === 'linear' ? '' : `, d = ${unitText(shapeMs, 'ms')}`
  return `${LAW_WORDS[model] ?? model} of the decode batch b, a = ${unitText(baseMs, 'ms')}, s = ${unitText(slopeMs, 'ms')}${shape}`
}

function saturationText({ recommendation }: RunReport): string {
  const saturation = recommendation?.batch.saturation ?? null
  if (saturation === null) return 'not reached'
  const { decodeBatch, bottleneck, evidence } = saturation
  const source = evidence === 'server-metrics' ? 'by the server’s own metrics' : 'seen from the client alone'
  return `at ${numberText(decodeBatch)} in decode (${bottleneck}, ${source})`
}

function kneeText({ knees }: FitReport): string {
  const batch = numberText(knees['throughputOverLatency'])
  return batch === UNKNOWN ? '' : `b = ${batch}, where throughput over latency is largest; it decides nothing`
}

function memoryText({ recommendation }: RunReport): string {
  const memory = recommendation?.memory ?? null
  if (memory === null) return ''
  return `${numberText(memory.availableGib)} GiB of KV cache on each GPU, ${numberText(memory.kvBytesPerToken)} bytes a token before sharding: ${numberText(memory.sequencesWorstCase)} sequences always fit, ${numberText(memory.sequencesMean)} on average`
}
