/**
 * What if the promise, the demand, the price or the lengths were others? Moving a slider asks twice: for the answer
 * from the stored draws, which is there at once, and for the simulated one, which follows and replaces it.
 */
import type { Recommendation, SloTarget } from '@loadcurve/core/capacity/recommendation'
import { intervalText, moneyText, numberText, unitText } from '@loadcurve/report/format'
import type { RunReport } from '@loadcurve/report/run-report'
import { figureText } from '@loadcurve/report/slo-text'
import { useEffect, useState } from 'preact/hooks'
import type { ApiProblem } from '../api/problem.ts'
import { request } from '../api/request.ts'
import { asProblem, ProblemAlert } from './loaded.tsx'

interface Question {
  readonly slo: readonly SloTarget[]
  readonly peakRequestsPerS: number | null
  readonly pricePerGpuHour: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

interface WhatIfAnswer {
  readonly source: 'draws' | 'simulation'
  readonly recommendation: Recommendation
}

/** Long enough that a moving slider asks once, short enough to feel immediate. */
const ASK_AFTER_MS = 120

export function WhatIfCard({ report }: { report: RunReport }) {
  const [question, setQuestion] = useState<Question>(() => asAsked(report))
  const { answer, problem, isSimulating } = useAnswer(report.run.id, question)
  const change = (part: Partial<Question>) => setQuestion((before) => ({ ...before, ...part }))
  return (
    <section class="card" aria-labelledby="what-if">
      <div class="head">
        <h2 id="what-if">What if</h2>
        <button type="button" class="quiet" onClick={() => setQuestion(asAsked(report))}>
          Back to the plan
        </button>
      </div>
      <Sliders report={report} question={question} change={change} />
      <ProblemAlert problem={problem} />
      <Answer answer={answer} isSimulating={isSimulating} />
    </section>
  )
}

interface SlidersProps {
  readonly report: RunReport
  readonly question: Question
  readonly change: (part: Partial<Question>) => void
}

function Sliders({ report, question, change }: SlidersProps) {
  return (
    <div class="fields">
      {question.slo.map((target, index) => (
        <Slider
          key={`${target.metric} ${target.percentile}`}
          label={`${figureText(target)} under`}
          unit="ms"
          value={target.maxMs}
          base={report.plan.slo[index]?.maxMs ?? target.maxMs}
          change={(maxMs) => change({ slo: question.slo.with(index, { ...target, maxMs }) })}
        />
      ))}
      <Slider
        label="Peak demand"
        unit="requests/s"
        value={question.peakRequestsPerS ?? 0}
        base={report.plan.demand?.peakRequestsPerS ?? 40}
        change={(peakRequestsPerS) => change({ peakRequestsPerS })}
      />
      <Slider
        label="Price of a GPU"
        unit="$/h"
        value={question.pricePerGpuHour ?? 0}
        base={report.plan.hardware?.pricePerGpuHour ?? 3}
        change={(pricePerGpuHour) => change({ pricePerGpuHour })}
      />
      <LengthSlider
        label="Output tokens"
        report={report}
        kind="outputTokens"
        question={question}
        change={change}
      />
      <LengthSlider
        label="Input tokens"
        report={report}
        kind="inputTokens"
        question={question}
        change={change}
      />
    </div>
  )
}

function asAsked({ plan }: RunReport): Question {
  return {
    slo: plan.slo,
    peakRequestsPerS: plan.demand?.peakRequestsPerS ?? null,
    pricePerGpuHour: plan.hardware?.pricePerGpuHour ?? null,
    inputTokens: null,
    outputTokens: null,
  }
}

interface SliderProps {
  readonly label: string
  readonly unit: string
  readonly value: number
  /** The value of the plan; the slider reaches from a tenth to ten times of it, on a logarithmic scale. */
  readonly base: number
  readonly change: (value: number) => void
  readonly reach?: readonly [number, number]
}

const STEPS = 100

function Slider({ label, unit, value, base, change, reach = [0.1, 10] }: SliderProps) {
  const [low, high] = [base * reach[0], base * reach[1]]
  const position = value <= 0 ? 0 : Math.round((STEPS * Math.log(value / low)) / Math.log(high / low))
  const move = (at: number) => change(Number((low * (high / low) ** (at / STEPS)).toPrecision(3)))
  const id = `what-if-${label.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
  const text = value <= 0 ? 'not set' : `${numberText(value)} ${unit}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={STEPS}
        value={Math.min(STEPS, Math.max(0, position))}
        aria-valuetext={text}
        onInput={(event) => move(Number(event.currentTarget.value))}
      />
      <output for={id}>{text}</output>
    </div>
  )
}

interface LengthSliderProps {
  readonly label: string
  readonly kind: 'inputTokens' | 'outputTokens'
  readonly report: RunReport
  readonly question: Question
  readonly change: (part: Partial<Question>) => void
}

// Output lengths may be half or twice as long as measured; other input lengths need probes, which cover this range.
function LengthSlider({ label, kind, report, question, change }: LengthSliderProps) {
  const { workload } = report.plan
  if (workload.dataset !== null) return null
  const base = workload[kind].mean
  const move = (value: number) => change({ [kind]: Math.round(value) })
  return (
    <Slider
      label={label}
      unit="tokens"
      value={question[kind] ?? base}
      base={base}
      change={move}
      reach={[0.5, 2]}
    />
  )
}

function useAnswer(runId: string, question: Question) {
  const [answer, setAnswer] = useState<WhatIfAnswer | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [isSimulating, setSimulating] = useState(false)
  useEffect(() => {
    const left = new AbortController()
    const ask = (simulate: boolean) =>
      request<WhatIfAnswer>(`/v1/runs/${runId}/what-if`, {
        method: 'POST',
        body: { ...definedOnly(question), simulate },
        signal: left.signal,
      })
    const timer = setTimeout(async () => {
      try {
        setSimulating(true)
        setAnswer(await ask(false))
        setAnswer(await ask(true))
        setProblem(null)
      } catch (error) {
        if (!left.signal.aborted) setProblem(asProblem(error))
      }
      if (!left.signal.aborted) setSimulating(false)
    }, ASK_AFTER_MS)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [runId, question])
  return { answer, problem, isSimulating }
}

function definedOnly(question: Question): Record<string, unknown> {
  return Object.fromEntries(Object.entries(question).filter(([, value]) => value !== null))
}

function Answer({ answer, isSimulating }: { answer: WhatIfAnswer | null; isSimulating: boolean }) {
  if (answer === null) return <p class="muted">Asking …</p>
  const { batch, openLoop, fleet, verdict, reasons } = answer.recommendation
  return (
    <div class="what-if-answer" aria-live="polite">
      <dl class="answer">
        <Figure name="Batch" value={numberText(batch.recommended)} note={intervalText(batch.interval)} />
        <Figure
          name="Load per replica"
          value={unitText(openLoop?.maxRequestsPerS ?? openLoop?.estimateRequestsPerS, 'req/s')}
          note={answer.source === 'draws' ? 'instant estimate' : 'simulated'}
        />
        <Figure
          name="GPUs"
          value={numberText(fleet?.gpus)}
          note={fleet === null ? 'no demand' : intervalText(fleet.interval)}
        />
        <Figure
          name="Cost at peak"
          value={moneyText(fleet?.costPerMillionOutputTokens.atPeak)}
          note="per million output tokens"
        />
      </dl>
      <p class="muted">
        {verdict === 'recommended' ? '' : `${verdict}: ${reasons.join(', ')}. `}
        {isSimulating ? 'The simulated answer follows.' : ''}
      </p>
    </div>
  )
}

function Figure({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        <small>{note}</small>
      </dd>
    </div>
  )
}
