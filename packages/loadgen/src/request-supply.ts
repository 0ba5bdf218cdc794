/** The requests of a step, by their place in its schedule. */
import { lengthDraw } from '@loadcurve/core/load/lengths'
import { seededRandom } from '@loadcurve/core/random'
import type { PreparedRequest } from './drive.ts'
import type { StepOrder } from './step-order.ts'
import type { Target } from './target/agent.ts'
import { exchange } from './target/exchange.ts'

export function requestSupply(order: StepOrder, target: Target): (index: number) => PreparedRequest {
  const { workload } = order
  const drawInput = lengthDraw(workload.inputTokens)
  const drawOutput = lengthDraw(workload.outputTokens)
  return (index) => {
    const random = seededRandom(order.seed, `request ${index}`)
    const asked = {
      inputTokens: drawInput(random),
      outputTokens: drawOutput(random),
      sequences: order.sequencesPerRequest,
    }
    return {
      asked,
      send: (hooks) =>
        exchange(
          target,
          {
            model: order.target.model,
            prompt: {
              kind: 'messages',
              messages: [{ role: 'user', content: `${random()} `.repeat(asked.inputTokens) }],
            },
            outputTokens: asked.outputTokens,
            stream: order.target.stream,
            ignoreEos: workload.ignoreEos,
            continuousUsage: false,
            n: order.sequencesPerRequest,
            extraBody: order.target.extraBody,
            expectJson: workload.expectJson,
            failOn: workload.failOn,
          },
          hooks,
        ),
    }
  }
}
