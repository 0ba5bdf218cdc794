/** Sets up one target and one scripted server for the tests of exchanges. */

import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { afterEach } from 'vitest'
import { openTarget, type Target, type TargetOptions } from '../../src/target/agent.ts'
import { exchange } from '../../src/target/exchange.ts'
import type { ExchangeRequest, ExchangeResult } from '../../src/target/result.ts'
import { event, type ScriptedServer, type Step, scriptedServer } from './scripted-server.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

export const REQUEST: ExchangeRequest = {
  model: 'm',
  prompt: { kind: 'messages', messages: [{ role: 'user', content: 'hello' }] },
  outputTokens: 4,
  stream: true,
  ignoreEos: true,
  continuousUsage: false,
  n: 1,
  extraBody: {},
  expectJson: false,
  failOn: [],
  keepText: true,
}

/** A scripted server that is closed after the test. */
export async function serve(
  script: (n: number, request: string) => readonly Step[],
): Promise<ScriptedServer> {
  const server = await scriptedServer(script)
  opened.push(server)
  return server
}

/** A target that is closed after the test. */
export function open(server: { readonly baseUrl: string }, options: Partial<TargetOptions> = {}): Target {
  const target = openTarget({
    baseUrl: server.baseUrl,
    endpoint: 'chat',
    apiKey: null,
    headers: {},
    connections: 4,
    policy: parseTargetPolicy(''),
    nowMs: () => performance.now(),
    ...options,
  })
  // Targets close before their servers.
  opened.unshift(target)
  return target
}

/** One exchange with a server that answers by this script. */
export async function answer(
  script: (n: number) => readonly Step[],
  request: Partial<ExchangeRequest> = {},
  options: Partial<TargetOptions> = {},
): Promise<{ result: ExchangeResult; server: ScriptedServer; target: Target }> {
  const server = await serve(script)
  const target = open(server, options)
  return { result: await exchange(target, { ...REQUEST, ...request }), server, target }
}

export const role = event({
  choices: [{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: null }],
})
export const usage = event({
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
})
