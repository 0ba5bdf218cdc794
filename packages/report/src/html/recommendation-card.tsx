/** The answer at one glance: which batch, how much load, how many GPUs, how sure; and the reasons in words. */
import type { Recommendation, Verdict } from '@loadcurve/core/capacity/recommendation'
import type { ComponentChildren } from 'preact'
import { codeText, readRemark } from '../codes.ts'
import { intervalText, moneyText, numberText, unitText } from '../format.ts'
import { limitText } from '../slo-text.ts'

const VERDICT: Readonly<Record<Verdict, { readonly words: string; readonly tone: string }>> = {
  recommended: { words: 'Recommended', tone: 'verdict-good' },
  inconclusive: { words: 'Can’t tell', tone: 'verdict-warn' },
  infeasible: { words: 'Not possible', tone: 'verdict-bad' },
}

export function RecommendationCard({ recommendation }: { recommendation: Recommendation }) {
  const { words, tone } = VERDICT[recommendation.verdict]
  return (
    <section class="card" aria-labelledby="recommendation">
      <h2 id="recommendation">
        Recommendation <span class={`verdict ${tone}`}>{words}</span>
      </h2>
      <dl class="answer">
        <BatchAnswer recommendation={recommendation} />
        <LoadAnswer recommendation={recommendation} />
        <FleetAnswers recommendation={recommendation} />
        <ThroughputAnswer recommendation={recommendation} />
      </dl>
      <Codes title="Why" codes={recommendation.reasons} />
      <Codes title="Mind" codes={recommendation.caveats} />
    </section>
  )
}

interface PartProps {
  readonly recommendation: Recommendation
}

function BatchAnswer({ recommendation: { batch } }: PartProps) {
  return (
    <Answer name="Batch size (max_num_seqs)" value={numberText(batch.recommended)}>
      <Line when={batch.interval !== null}>90 % interval {intervalText(batch.interval)}</Line>
      <Line when={batch.limitedBy !== null}>limited by {limitText(batch.limitedBy ?? '')}</Line>
      <Line when={batch.operating !== null}>
        mean decode batch in operation {numberText(batch.operating)}
      </Line>
    </Answer>
  )
}

function LoadAnswer({ recommendation: { openLoop, batch } }: PartProps) {
  return (
    <Answer name="Load per replica" value={unitText(openLoop?.maxRequestsPerS, 'req/s')}>
      <Line when={openLoop?.interval != null}>90 % interval {intervalText(openLoop?.interval)}</Line>
      <Line when={openLoop?.verified != null}>tried out: {openLoop?.verified?.verdict}</Line>
      <Line when={batch.admissionLimit !== null}>
        router’s limit {numberText(batch.admissionLimit)} in flight
      </Line>
    </Answer>
  )
}

function FleetAnswers({ recommendation: { fleet } }: PartProps) {
  if (fleet === null) return null
  const cost = fleet.costPerMillionOutputTokens
  return (
    <>
      <Answer name="GPUs to buy" value={numberText(fleet.gpus)}>
        <Line>
          {numberText(fleet.replicas)} replicas, 90 % interval {intervalText(fleet.interval)}
        </Line>
      </Answer>
      <Answer name="Cost at peak" value={moneyText(cost.atPeak)}>
        <Line>per million output tokens; at mean demand {moneyText(cost.atMean)}</Line>
        <Line when={fleet.costPerHour !== null}>{moneyText(fleet.costPerHour)} an hour</Line>
      </Answer>
    </>
  )
}

function ThroughputAnswer({ recommendation: { operatingPoint } }: PartProps) {
  if (operatingPoint === null) return null
  const { mean, p50 } = operatingPoint.tpotMs
  return (
    <Answer name="Throughput at that batch" value={unitText(operatingPoint.outputTokensPerS, 'tok/s')}>
      <Line>
        TPOT {p50 === null ? 'mean' : 'p50'} {unitText(p50 ?? mean, 'ms')}, {operatingPoint.source}
      </Line>
    </Answer>
  )
}

function Answer({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {children}
      </dd>
    </div>
  )
}

function Line({ when = true, children }: { when?: boolean; children: ComponentChildren }) {
  return when ? <small>{children}</small> : null
}

function Codes({ title, codes }: { title: string; codes: readonly string[] }) {
  if (codes.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="notes">
        {codes.map((remark) => {
          const { code, detail } = readRemark(remark)
          const { meaning, next } = codeText(code)
          return (
            <li key={remark}>
              {meaning} {detail === null ? '' : `Here: ${detail}. `}
              {next} <code class="muted">{code}</code>
            </li>
          )
        })}
      </ul>
    </>
  )
}
