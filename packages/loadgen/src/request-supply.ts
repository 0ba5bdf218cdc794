/**
 * The requests of a step, by their place in its schedule. What a request asks for is drawn from the step's seed and its
 * place alone, so it is the same whichever shard sends it; only the nonce of its prompt is new every time.
 */
import { lengthDraw } from '@loadcurve/core/load/lengths'
import { type Random, seededRandom } from '@loadcurve/core/random'
import type { PreparedRequest } from './drive.ts'
import { UNCALIBRATED } from './prompts/calibration.ts'
import { type Conversation, loadDataset } from './prompts/dataset.ts'
import { promptSource } from './prompts/prompt-source.ts'
import type { StepOrder } from './step-order.ts'
import type { Target } from './target/agent.ts'
import { exchange } from './target/exchange.ts'
import type { ExchangeRequest } from './target/result.ts'

export interface SupplyOptions {
  readonly order: StepOrder
  readonly target: Target
  /** Of the data set that the workload names, null when it names none. */
  readonly conversations: readonly Conversation[] | null
  /** Makes the nonces of this process's prompts its own. */
  readonly salt: number
}

type Lengths = (index: number, random: Random) => { inputTokens: number; outputTokens: number }

/** The conversations of the workload's data set, from the data folder; null when it has none. */
export async function loadConversations(
  { workload }: Pick<StepOrder, 'workload'>,
  dataDir: string,
): Promise<Conversation[] | null> {
  const { dataset } = workload
  return dataset === null ? null : loadDataset({ dataDir, file: dataset.file, format: dataset.format })
}

/** @throws RangeError when lengths or prompts contradict themselves */
export function requestSupply(options: SupplyOptions): (index: number) => PreparedRequest {
  const { order, target } = options
  const lengths = lengthsOf(order)
  const source = sourceOf(options)
  const fixed = fixedFields(order)
  return (index) => {
    const random = seededRandom(order.seed, `request ${index}`)
    const { inputTokens, outputTokens } = lengths(index, random)
    const { prompt, inputTokensAsked } = source({ index, inputTokens, random })
    const sequences = order.sequencesPerRequest
    return {
      asked: { inputTokens: inputTokensAsked, outputTokens: outputTokens * sequences, sequences },
      send: (hooks) => exchange(target, { ...fixed, prompt, outputTokens }, hooks),
    }
  }
}

// A trace brings the lengths of its own requests; where it is silent, and without one, they are drawn.
function lengthsOf({ workload }: StepOrder): Lengths {
  const drawInput = lengthDraw(workload.inputTokens)
  const drawOutput = lengthDraw(workload.outputTokens)
  const traced = workload.arrival.process === 'trace' ? (workload.arrival.trace?.arrivals ?? []) : []
  return (index, random) => {
    const own = traced.length === 0 ? undefined : traced[index % traced.length]
    return {
      inputTokens: own?.inputTokens ?? drawInput(random),
      outputTokens: own?.outputTokens ?? drawOutput(random),
    }
  }
}

function sourceOf({ order, conversations, salt }: SupplyOptions): ReturnType<typeof promptSource> {
  const { workload, target } = order
  return promptSource({
    endpoint: target.endpoint,
    calibration: order.promptCalibration ?? UNCALIBRATED,
    sharedPrefixTokens: workload.sharedPrefixTokens,
    seed: order.seed,
    salt,
    promptsPerRequest: target.endpoint === 'completions' ? order.sequencesPerRequest : 1,
    dataset:
      conversations === null || workload.dataset === null
        ? null
        : { conversations, order: workload.dataset.order },
  })
}

function fixedFields({
  target,
  workload,
  sequencesPerRequest,
  continuousUsage = false,
}: StepOrder): Omit<ExchangeRequest, 'prompt' | 'outputTokens'> {
  return {
    model: target.model,
    stream: target.stream,
    ignoreEos: workload.ignoreEos,
    continuousUsage,
    n: target.endpoint === 'chat' ? sequencesPerRequest : 1,
    extraBody: target.extraBody,
    expectJson: workload.expectJson,
    failOn: workload.failOn,
  }
}
