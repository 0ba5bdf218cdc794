import { expect, test } from 'vitest'
import {
  resolveOptions,
  type SimulatorOptions,
  SimulatorOptionsError,
} from '../../src/http-server/options.ts'

test('options: the defaults are the small preset, as it stands', () => {
  const options = resolveOptions({})
  expect(options).toMatchObject({
    preset: 'small',
    model: 'sim/small',
    port: 0,
    speed: 1,
    maxModelTokens: 8192,
  })
  expect(options.law.maxNumSeqs).toBe(16)
})

test('options: speed and cap are inside the law that clients meet', () => {
  const { law } = resolveOptions({ preset: 'small', speed: 2, maxNumSeqs: 4 })
  expect(law.baseMs).toBe(6)
  expect(law.maxNumSeqs).toBe(4)
})

test('options: no sequence may be longer than the KV cache', () => {
  expect(resolveOptions({ law: { kv: { blocks: 100, blockTokens: 16 } } }).maxModelTokens).toBe(1600)
})

test('options: everything wrong is told at once, each with its path', () => {
  const wrong = {
    port: 70_000,
    refusePort: -1,
    preset: 'none',
    maxNumSeqs: 0,
    speed: 0,
    seed: Number.NaN,
    model: 'müll',
    restartMs: -5,
    answerTokens: { kind: 'fixed', tokens: 0 },
    faults: { nope: 0.5, crlf: 2 },
    law: { baseMs: -1 },
  } as unknown as SimulatorOptions
  let error: unknown
  try {
    resolveOptions(wrong)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(SimulatorOptionsError)
  const violations = error instanceof SimulatorOptionsError ? error.violations : []
  expect(violations.map(({ path }) => path).sort()).toEqual([
    'answerTokens',
    'faults',
    'faults.crlf',
    'faults.nope',
    'law.baseMs',
    'maxNumSeqs',
    'model',
    'port',
    'preset',
    'refusePort',
    'restartMs',
    'seed',
    'speed',
  ])
})
