/** What a simulated server can be told, its defaults, and everything that can be wrong with it. */
import type { FaultName } from '../faults/catalogue.ts'
import { fasterLaw, type ServerLaw } from '../model/law.ts'
import type { LengthLaw } from '../model/lengths.ts'
import { PRESETS, type PresetName } from '../presets/presets.ts'
import { type OptionViolation, optionViolations } from './option-violations.ts'

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
    // A longer sequence could never run to its end.
    maxModelTokens: Math.min(
      preset.maxModelTokens,
      law.kv === null ? Number.POSITIVE_INFINITY : law.kv.blocks * law.kv.blockTokens,
    ),
    law: fasterLaw({ ...law, maxNumSeqs: options.maxNumSeqs ?? law.maxNumSeqs }, speed),
  }
}
