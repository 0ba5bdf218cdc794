/**
 * Little's law, L = X*R, as a check on the measurement. It holds for every stable system, so a violation is a fault of
 * the benchmark, not of the server. Three uses, and one non-use:
 *
 * (a) L, the sweep-line mean in flight, against the nominal concurrency: below 0.97 of it L is trusted and not the
 *     nominal figure, below 0.90 the level was never reached. With think time Z a slot is in flight R of every R + Z,
 *     so the nominal L is N*R/(R + Z).
 * (b) L against what the server says is running and waiting: more there than ours is somebody else's traffic.
 * (c) X*R against L is nearly an identity inside one client: it only catches windows too short for the requests.
 *
 * Where the throughput was itself derived from Little's law there is nothing to check: the ratio is null, not 1.
 */

/** Below this share of the nominal concurrency, the achieved one is used and a caveat says so. */
export const NOMINAL_TRUSTED_MIN = 0.97
/** Below this share the level was not reached. */
export const NOMINAL_REACHED_MIN = 0.9
/**
 * X*R may differ from L by requests that the edges of the window cut, and by the noise of n completions, at most
 * 1/sqrt(n) for arrivals no burstier than Poisson; more means a window too short.
 */
const IDENTITY_TOLERANCE = 0.1
const IDENTITY_ERRORS = 3
/** The server counts requests a little longer than the client sees them in flight. */
const SERVER_TOLERANCE_FRACTION = 0.05
const SERVER_TOLERANCE_REQUESTS = 0.5
const SERVER_ERRORS = 3

export interface LittlesLaw {
  /** (a) in closed loop, (c) in open loop; null where neither can be said. */
  readonly ratio: number | null
  readonly holds: boolean | null
  readonly nominal: LawCheck
  readonly server: LawCheck
  readonly identity: LawCheck
}

export interface LawCheck {
  /** Measured over expected; null when one of them is unknown. */
  readonly ratio: number | null
  /** Null: holds, or cannot be said. `nominal-not-trusted` is a caveat, the others refuse the level. */
  readonly code:
    | 'nominal-not-trusted'
    | 'concurrency-not-reached'
    | 'foreign-traffic'
    | 'littles-law-violated'
    | null
}

export interface LawInputs {
  readonly nominal: number | null
  readonly achieved: number | null
  readonly requestsPerS: number | null
  /** True when requestsPerS came from Little's law itself. */
  readonly requestsPerSDerived: boolean
  /** Completions behind requestsPerS, for its noise; null when not known. */
  readonly completions: number | null
  /** Mean residence (E2E), s. */
  readonly residenceS: number | null
  readonly thinkTimeS: number
  /** Mean of running + waiting on the server, and its standard error; null when not scraped. */
  readonly onServer: { readonly mean: number; readonly standardError: number } | null
}

/** The three checks of one level. */
export function littlesLaw(inputs: LawInputs): LittlesLaw {
  const nominal = nominalCheck(inputs)
  const identity = identityCheck(inputs)
  const ratio = inputs.nominal === null ? identity.ratio : nominal.ratio
  const holds =
    ratio === null ? null : inputs.nominal === null ? identity.code === null : ratio >= NOMINAL_TRUSTED_MIN
  return { ratio, holds, nominal, server: serverCheck(inputs), identity }
}

/** Mean requests that N closed-loop slots keep in flight when each pauses for thinkTimeS after each answer. */
export function nominalInFlight({
  concurrency,
  residenceS,
  thinkTimeS,
}: {
  readonly concurrency: number
  readonly residenceS: number | null
  readonly thinkTimeS: number
}): number | null {
  if (thinkTimeS === 0) return concurrency
  return residenceS === null ? null : (concurrency * residenceS) / (residenceS + thinkTimeS)
}

function nominalCheck({ nominal, achieved, residenceS, thinkTimeS }: LawInputs): LawCheck {
  if (nominal === null || achieved === null) return UNKNOWN
  const expected = nominalInFlight({ concurrency: nominal, residenceS, thinkTimeS })
  if (expected === null || expected === 0) return UNKNOWN
  const ratio = achieved / expected
  if (ratio >= NOMINAL_TRUSTED_MIN) return { ratio, code: null }
  return { ratio, code: ratio >= NOMINAL_REACHED_MIN ? 'nominal-not-trusted' : 'concurrency-not-reached' }
}

function serverCheck({ achieved, onServer }: LawInputs): LawCheck {
  if (achieved === null || onServer === null || achieved === 0) return UNKNOWN
  const surely = onServer.mean - SERVER_ERRORS * onServer.standardError
  const ours = achieved * (1 + SERVER_TOLERANCE_FRACTION) + SERVER_TOLERANCE_REQUESTS
  return { ratio: onServer.mean / achieved, code: surely > ours ? 'foreign-traffic' : null }
}

function identityCheck(inputs: LawInputs): LawCheck {
  const { achieved, requestsPerS, residenceS, completions } = inputs
  if (inputs.requestsPerSDerived || achieved === null || requestsPerS === null || residenceS === null)
    return UNKNOWN
  if (achieved === 0) return UNKNOWN
  const ratio = (requestsPerS * residenceS) / achieved
  const noise = completions === null ? 0 : IDENTITY_ERRORS / Math.sqrt(Math.max(1, completions))
  return { ratio, code: Math.abs(ratio - 1) > IDENTITY_TOLERANCE + noise ? 'littles-law-violated' : null }
}

const UNKNOWN: LawCheck = { ratio: null, code: null }
