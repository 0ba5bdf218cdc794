/**
 * Gunther's Universal Scalability Law, kept as a diagnosis:
 *
 *   X(N) = γ·N / (1 + α·(N − 1) + β·N·(N − 1))
 *
 * γ is the throughput of one client, α the share that is serialised, β the cost of keeping each other consistent. β > 0
 * bends the curve back: throughput falls beyond N* = √((1 − α)/β). A server whose KV cache overflows and recomputes
 * does that. A linear step time *is* this law with β = 0, α = s/(a + s) and γ = 1/(a + s).
 *
 * Fitted by unweighted least squares on X, as the published coefficients are. Starting values come from the linear
 * regression of N/X on {1, N − 1, N(N − 1)}. A coefficient that wants to be negative is set to zero and the reduced
 * model is fitted.
 */
import { levenbergMarquardt } from './levenberg-marquardt.ts'
import { nonNegativeLeastSquares } from './nnls.ts'

export interface UslPoint {
  /** N > 0, clients or processors. */
  readonly concurrency: number
  /** X > 0, in any unit. */
  readonly throughput: number
}

export interface UslFit {
  readonly alpha: number
  readonly beta: number
  readonly gamma: number
  /** Root of the residual sum of squares over its degrees of freedom, in units of X. */
  readonly residualStandardError: number
  /** N*, where throughput peaks; null when it never falls. */
  readonly peakConcurrency: number | null
  readonly converged: boolean
}

/** Throughput of a USL fit at N. */
export function uslThroughput(fit: Pick<UslFit, 'alpha' | 'beta' | 'gamma'>, concurrency: number): number {
  const others = concurrency - 1
  return (fit.gamma * concurrency) / (1 + fit.alpha * others + fit.beta * concurrency * others)
}

/**
 * Least-squares USL coefficients, α and β ≥ 0.
 *
 * @returns null with fewer than four points: three coefficients would leave nothing to check them
 */
export function fitUsl(points: readonly UslPoint[]): UslFit | null {
  if (points.length < 4) return null
  const start = startingValues(points)
  const fits = REDUCED_MODELS.map((free) => fitReduced(points, { start, free })).filter((fit) => fit !== null)
  // The full model first; a reduced one only when the full one has no interior minimum.
  return fits.find((fit) => fit.interior)?.fit ?? null
}

type Coefficient = 'alpha' | 'beta'
const REDUCED_MODELS: readonly (readonly Coefficient[])[] = [['alpha', 'beta'], ['alpha'], ['beta'], []]

interface Coefficients {
  readonly alpha: number
  readonly beta: number
  readonly gamma: number
}

function startingValues(points: readonly UslPoint[]): Coefficients {
  const [inverse = 0, serial = 0, coherence = 0] = nonNegativeLeastSquares({
    rows: points.map(({ concurrency: n }) => [1, n - 1, n * (n - 1)]),
    values: points.map(({ concurrency, throughput }) => concurrency / throughput),
    weights: points.map(() => 1),
  })
  const first = points.reduce((left, right) => (right.concurrency < left.concurrency ? right : left))
  if (!(inverse > 0)) return { alpha: 0.05, beta: 1e-4, gamma: first.throughput / first.concurrency }
  return { alpha: serial / inverse, beta: coherence / inverse, gamma: 1 / inverse }
}

function fitReduced(
  points: readonly UslPoint[],
  model: { start: Coefficients; free: readonly Coefficient[] },
): { fit: UslFit; interior: boolean } | null {
  const { start, free } = model
  const scale = Math.max(...points.map((point) => point.throughput))
  const toCoefficients = (parameters: readonly number[]): Coefficients => {
    const named = { alpha: 0, beta: 0, gamma: start.gamma * Math.exp(parameters[0] ?? 0) }
    free.forEach((name, index) => {
      named[name] = (parameters[index + 1] ?? 0) * UNIT[name]
    })
    return named
  }
  const result = levenbergMarquardt({
    residuals: (parameters) => {
      const coefficients = toCoefficients(parameters)
      return points.map(
        ({ concurrency, throughput }) => (uslThroughput(coefficients, concurrency) - throughput) / scale,
      )
    },
    start: [0, ...free.map((name) => Math.max(start[name], UNIT[name] / 100) / UNIT[name])],
    iterationsMax: 500,
    tolerance: 1e-14,
  })
  const coefficients = toCoefficients(result.parameters)
  const degrees = points.length - free.length - 1
  return {
    interior: free.every((name) => coefficients[name] > 0) && coefficients.alpha < 1,
    fit: {
      ...coefficients,
      residualStandardError: scale * Math.sqrt(result.sumOfSquares / degrees),
      peakConcurrency: coefficients.beta > 0 ? Math.sqrt((1 - coefficients.alpha) / coefficients.beta) : null,
      converged: result.converged,
    },
  }
}

// Typical sizes, so that the steps of the search are of one order; α and β are searched in plain, not logarithmic,
// units because whether they cross zero is the question.
const UNIT: Readonly<Record<Coefficient, number>> = { alpha: 0.01, beta: 1e-4 }
