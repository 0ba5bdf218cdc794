/** Everything that can be wrong with what a simulated server is told. */
import { FAULTS, isFaultName } from '../faults/catalogue.ts'
import { lawViolations } from '../model/law-violations.ts'
import { lengthLawFault } from '../model/lengths.ts'
import { PRESET_NAMES, PRESETS } from '../presets/presets.ts'
import type { SimulatorOptions } from './options.ts'

/** One thing that is wrong, and where. */
export interface OptionViolation {
  readonly path: string
  readonly message: string
}

/** All violations; empty when the options can be used. */
export function optionViolations(options: SimulatorOptions): OptionViolation[] {
  const { port = 0, refusePort = null, speed = 1, seed = 1, model = 'sim', restartMs = 500 } = options
  const violations: OptionViolation[] = []
  const check = (right: boolean, path: string, message: string) => {
    if (!right) violations.push({ path, message })
  }
  check(isPort(port), 'port', `must be a whole number from 0 to 65535, got ${port}`)
  const refuses = refusePort === null || isPort(refusePort)
  check(refuses, 'refusePort', `must be a whole number from 0 to 65535, got ${refusePort}`)
  check(speed > 0 && Number.isFinite(speed), 'speed', `must be a positive number, got ${speed}`)
  check(Number.isFinite(seed), 'seed', `must be a finite number, got ${seed}`)
  check(/^[\x20-\x7e]+$/.test(model), 'model', `must be printable ASCII, got ${JSON.stringify(model)}`)
  check(restartMs >= 0 && Number.isFinite(restartMs), 'restartMs', `must be >= 0, got ${restartMs}`)
  const lengthFault = options.answerTokens === undefined ? null : lengthLawFault(options.answerTokens)
  check(lengthFault === null, 'answerTokens', `${lengthFault}, got ${JSON.stringify(options.answerTokens)}`)
  return [...violations, ...faultViolations(options.faults ?? {}), ...serverViolations(options)]
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

/** The preset, and the law that comes of it. With an unknown preset the parts that were given are still checked. */
function serverViolations(options: SimulatorOptions): OptionViolation[] {
  const preset = options.preset ?? 'small'
  const known = PRESET_NAMES.includes(preset)
  const law = { ...PRESETS[known ? preset : 'small'].law, ...options.law }
  const violations = lawViolations({ ...law, maxNumSeqs: options.maxNumSeqs ?? law.maxNumSeqs })
  const underLaw = violations.map(({ path, message }) => ({
    path: path === 'maxNumSeqs' ? path : `law.${path}`,
    message,
  }))
  if (known) return underLaw
  const message = `must be one of ${PRESET_NAMES.join(', ')}, got ${JSON.stringify(preset)}`
  return [{ path: 'preset', message }, ...underLaw]
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65_535
}
