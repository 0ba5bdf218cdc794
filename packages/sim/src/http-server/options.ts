/** What a simulated server can be told, its defaults, and everything that can be wrong with it. */
import { FAULTS, type FaultName, isFaultName } from '../faults/catalogue.ts'
import { fasterLaw, type ServerLaw } from '../model/law.ts'
import { type LengthLaw, longestLength } from '../model/lengths.ts'
import { PRESET_NAMES, PRESETS, type PresetName } from '../presets/presets.ts'

export interface SimulatorOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** A second port that accepts each connection and resets it at once. Default: none; 0 for any free port. */
  readonly refusePort?: number | null
  /** Default `small`. */
  readonly preset?: PresetName
  /** Replaces parts of the preset's law. */
  readonly law?: Partial<ServerLaw>
  readonly maxNumSeqs?: number
  /** Everything takes 1/speed of its time. Default 1. */
  readonly speed?: number
  readonly seed?: number
  /** Model id to answer with; printable ASCII. */
  readonly model?: string
  /** Bearer keys; empty: none needed. */
  readonly apiKeys?: readonly string[]
  /** Length of an answer that ends by itself (no `ignore_eos`). */
  readonly answerTokens?: LengthLaw
  /** Fractions of requests that get a fault, drawn from the seed. */
  readonly faults?: Partial<Record<FaultName, number>>
  /** How long the server is not ready after `max_num_seqs` was set, ms. Default 500. */
  readonly restartMs?: number
}

export interface ResolvedOptions extends Required<Omit<SimulatorOptions, 'law' | 'maxNumSeqs'>> {
  readonly maxModelTokens: number
  /** As a client meets it: `speed` and `maxNumSeqs` are inside. */
  readonly law: ServerLaw
}

/** One thing that is wrong, and where. */
export interface OptionViolation {
  readonly path: string
  readonly message: string
}

export class SimulatorOptionsError extends Error {
  readonly code = 'invalid-simulator-options'
  readonly violations: readonly OptionViolation[]

  constructor(violations: readonly OptionViolation[]) {
    super(violations.map(({ path, message }) => `${path}: ${message}`).join('; '))
    this.name = 'SimulatorOptionsError'
    this.violations = violations
  }
}

/** @throws SimulatorOptionsError carrying every violation */
export function resolveOptions(options: SimulatorOptions): ResolvedOptions {
  const violations = optionViolations(options)
  if (violations.length > 0) throw new SimulatorOptionsError(violations)
  const preset = PRESETS[options.preset ?? 'small']
  const law = { ...preset.law, ...options.law }
  const speed = options.speed ?? 1
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    refusePort: options.refusePort ?? null,
    preset: preset.name,
    speed,
    seed: options.seed ?? 1,
    model: options.model ?? preset.model,
    apiKeys: options.apiKeys ?? [],
    answerTokens: options.answerTokens ?? {
      kind: 'lognormal',
      mean: preset.typicalOutputTokens,
      cv: 0.6,
      max: 4096,
    },
    faults: options.faults ?? {},
    restartMs: options.restartMs ?? 500,
    maxModelTokens: preset.maxModelTokens,
    law: fasterLaw({ ...law, maxNumSeqs: options.maxNumSeqs ?? law.maxNumSeqs }, speed),
  }
}

/** Everything wrong with the options, in the order of their names; empty when they can be used. */
export function optionViolations(options: SimulatorOptions): OptionViolation[] {
  const violations: OptionViolation[] = []
  const check = (right: boolean, path: string, message: string) => {
    if (!right) violations.push({ path, message })
  }
  const {
    port = 0,
    refusePort = null,
    speed = 1,
    seed = 1,
    model = 'sim',
    restartMs = 500,
    maxNumSeqs = 1,
  } = options
  check(isPort(port), 'port', `must be a whole number from 0 to 65535, got ${port}`)
  check(
    refusePort === null || isPort(refusePort),
    'refusePort',
    `must be a whole number from 0 to 65535, got ${refusePort}`,
  )
  const preset = options.preset ?? 'small'
  const known = PRESET_NAMES.includes(preset)
  check(known, 'preset', `must be one of ${PRESET_NAMES.join(', ')}, got ${JSON.stringify(preset)}`)
  check(isCount(maxNumSeqs), 'maxNumSeqs', `must be a whole number >= 1, got ${maxNumSeqs}`)
  check(speed > 0 && Number.isFinite(speed), 'speed', `must be a positive number, got ${speed}`)
  check(Number.isFinite(seed), 'seed', `must be a finite number, got ${seed}`)
  check(/^[\x20-\x7e]+$/.test(model), 'model', `must be printable ASCII, got ${JSON.stringify(model)}`)
  check(restartMs >= 0 && Number.isFinite(restartMs), 'restartMs', `must be >= 0, got ${restartMs}`)
  if (options.answerTokens !== undefined) {
    const longest = longestLength(options.answerTokens)
    check(isCount(longest), 'answerTokens', `must have a whole longest length >= 1, got ${longest}`)
  }
  violations.push(...faultViolations(options.faults ?? {}))
  if (known)
    violations.push(...lawViolations({ ...PRESETS[preset].law, ...options.law, maxNumSeqs: maxNumSeqs }))
  return violations
}

function faultViolations(faults: Partial<Record<string, number>>): OptionViolation[] {
  const violations: OptionViolation[] = []
  let sum = 0
  for (const [name, fraction = Number.NaN] of Object.entries(faults)) {
    const path = `faults.${name}`
    if (!isFaultName(name)) {
      violations.push({
        path,
        message: `there is no such fault; known are ${Object.keys(FAULTS).join(', ')}`,
      })
    }
    if (!(fraction >= 0 && fraction <= 1))
      violations.push({ path, message: `must be from 0 to 1, got ${fraction}` })
    sum += fraction
  }
  if (sum > 1 + 1e-9)
    violations.push({ path: 'faults', message: `the fractions add up to ${sum}, more than 1` })
  return violations
}

function lawViolations(law: ServerLaw): OptionViolation[] {
  const violations: OptionViolation[] = []
  const check = (right: boolean, name: string, message: string) => {
    if (!right) violations.push({ path: `law.${name}`, message })
  }
  check(law.baseMs > 0, 'baseMs', `must be positive, got ${law.baseMs}`)
  check(law.perSequenceMs >= 0, 'perSequenceMs', `must be >= 0, got ${law.perSequenceMs}`)
  check(law.perContextTokenMs >= 0, 'perContextTokenMs', `must be >= 0, got ${law.perContextTokenMs}`)
  const prefill = Object.values(law.prefill)
  check(
    prefill.every((value) => value >= 0),
    'prefill',
    `must have no negative part, got ${prefill.join(', ')}`,
  )
  const increasing = law.capturedBatches.every((size, index, sizes) => size > (sizes[index - 1] ?? 0))
  check(
    increasing,
    'capturedBatches',
    `must be positive and increasing, got ${law.capturedBatches.join(', ')}`,
  )
  const budget = law.maxNumBatchedTokens
  check(
    budget === null || (Number.isInteger(budget) && budget >= law.maxNumSeqs),
    'maxNumBatchedTokens',
    `must be a whole number not below maxNumSeqs (${law.maxNumSeqs}), got ${budget}`,
  )
  const kv = law.kv
  check(kv === null || (isCount(kv.blocks) && isCount(kv.blockTokens)), 'kv', 'must have whole numbers >= 1')
  check(law.noise.stepCv >= 0 && law.noise.prefillCv >= 0, 'noise', 'must not be negative')
  const hiccup = law.hiccup
  check(
    hiccup === null || (hiccup.everyMs > 0 && hiccup.pauseMs >= 0),
    'hiccup',
    'must have a positive everyMs',
  )
  const fraction = law.experts?.activeFraction ?? 0.5
  check(
    fraction > 0 && fraction <= 1,
    'experts.activeFraction',
    `must be above 0 and at most 1, got ${fraction}`,
  )
  return violations
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65_535
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1
}
