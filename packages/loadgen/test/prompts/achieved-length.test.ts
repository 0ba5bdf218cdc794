/** Achieved prompt lengths against asked ones, through the whole path: calibrate on the target, draw, send, be counted. */

import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { seededRandom } from '@loadcurve/core/random'
import { startSimulator } from '@loadcurve/sim/http-server/server'
import { describe, expect, test } from 'vitest'
import { Asker } from '../../src/preflight/asker.ts'
import { fitCalibration, type PromptCalibration, UNCALIBRATED } from '../../src/prompts/calibration.ts'
import { promptSource } from '../../src/prompts/prompt-source.ts'
import { openTarget } from '../../src/target/agent.ts'
import { exchange } from '../../src/target/exchange.ts'
import { openVisitor } from '../../src/target/visitor.ts'
import { REQUEST } from '../target/exchange-set-up.ts'

const LENGTHS = [64, 200, 512, 1500]

describe.each(['chat', 'completions'] as const)(
  'achieved prompt lengths on the simulator, %s',
  (endpoint) => {
    test.each([
      ['by usage', {}],
      ['by its tokenizer, when usage is missing', { 'x-sim-fault': 'missing-usage' }],
    ])('are within 2 %% of asked, calibrated %s', async (_fact, headers: Record<string, string>) => {
      const sim = await startSimulator({ preset: 'small', speed: 50 })
      const common = { baseUrl: `${sim.url}/v1`, apiKey: null, headers, policy: parseTargetPolicy('') }
      const target = openTarget({ ...common, endpoint, connections: 1, nowMs: () => performance.now() })
      const visitor = openVisitor(common)
      const model = sim.options.model
      const asker = new Asker({
        target,
        visitor,
        model,
        stream: true,
        ignoreEos: true,
        extraBody: {},
        tokenizeUrl: `${sim.url}/tokenize`,
      })
      const calibration = await asker.calibrate()
      // The tokenizer does not count the chat template: seven tokens here, which a small prompt notices.
      const lengths = 'x-sim-fault' in headers && endpoint === 'chat' ? LENGTHS.slice(2) : LENGTHS
      const next = source(endpoint, calibration ?? UNCALIBRATED)
      for (const [index, inputTokens] of lengths.entries()) {
        const { prompt } = next({ index, inputTokens, random: seededRandom(2, `${index}`) })
        await exchange(target, { ...REQUEST, model, prompt, outputTokens: 1 })
        const counted = sim.simulation.requests.between(0, Infinity).at(-1)?.inputTokens ?? 0
        expect(Math.abs(counted - inputTokens) / inputTokens).toBeLessThanOrEqual(0.02)
      }
      await Promise.all([target.close(), visitor.close()])
      await sim.close()
    })
  },
)

function source(endpoint: 'chat' | 'completions', calibration: PromptCalibration) {
  return promptSource({
    endpoint,
    calibration,
    sharedPrefixTokens: 0,
    seed: 1,
    salt: 4,
    promptsPerRequest: 1,
    dataset: null,
  })
}

test('achieved prompt lengths with a tokenizer that splits every third word: their mean is within 2 % of asked', () => {
  const count = (text: string) =>
    9 +
    text
      .split(' ')
      .reduce((sum, word) => sum + 1 + ((word.charCodeAt(0) + word.charCodeAt(1)) % 3 === 0 ? 1 : 0), 0)
  const textOf = (calibration: PromptCalibration, index: number, inputTokens: number) => {
    const { prompt } = source(
      'completions',
      calibration,
    )({ index, inputTokens, random: seededRandom(3, `${index}`) })
    return prompt.kind === 'texts' ? prompt.texts.join('') : ''
  }
  const one = { tokensPerWord: 1, overheadTokens: 0 }
  const calibration = fitCalibration(
    [40, 400, 800].map((words, index) => ({ words, tokens: count(textOf(one, index, words)) })),
  )
  const achieved = Array.from({ length: 200 }, (_, index) =>
    count(textOf(calibration ?? one, 100 + index, 512)),
  )
  const mean = achieved.reduce((sum, tokens) => sum + tokens, 0) / achieved.length
  expect(Math.abs(mean - 512) / 512).toBeLessThanOrEqual(0.02)
})
