/**
 * Non-linear least squares by Levenberg and Marquardt.
 *
 * Each step solves (JᵀJ + λ·diag(JᵀJ))·δ = −Jᵀr. With λ near 0 that is Gauss–Newton, fast near the minimum; with λ
 * large it is a short step downhill, safe far from it. A step that lowers the sum of squares is taken and λ shrinks;
 * one that does not is thrown away and λ grows. The Jacobian is taken by forward differences: the models here have at
 * most seven parameters and are cheap.
 *
 * Parameters that must be positive go in as logarithms, which also makes relative steps natural.
 */

export interface LevenbergMarquardtResult {
  readonly parameters: readonly number[]
  readonly sumOfSquares: number
  /** False when the iterations ran out or the residuals were not finite; the parameters are then the best seen. */
  readonly converged: boolean
  readonly iterations: number
}

/**
 * Minimises Σ r_i(p)² from a starting point.
 *
 * @param residuals returns the residual vector, always of one length
 * @param start starting parameters, finite
 * @param iterationsMax bound on accepted and rejected steps together
 * @param tolerance relative decrease of the sum of squares, and relative step, at which it has converged
 */
export function levenbergMarquardt(problem: {
  residuals: (parameters: readonly number[]) => readonly number[]
  start: readonly number[]
  iterationsMax?: number
  tolerance?: number
}): LevenbergMarquardtResult {
  const { residuals, iterationsMax = 200, tolerance = 1e-10 } = problem
  let parameters = [...problem.start]
  let current = residuals(parameters)
  let sum = sumOfSquares(current)
  let damping = 1e-3
  let normal: NormalSystem | null = null
  for (let iteration = 1; iteration <= iterationsMax; iteration++) {
    normal ??= linearise(residuals, parameters, current)
    const step = solveDamped(normal, damping)
    const trial = step === null ? null : parameters.map((value, index) => value + (step[index] ?? 0))
    const trialResiduals = trial === null ? null : residuals(trial)
    const trialSum = trialResiduals === null ? Number.POSITIVE_INFINITY : sumOfSquares(trialResiduals)
    if (trial === null || trialResiduals === null || step === null || !(trialSum <= sum)) {
      damping *= 8
      // No shorter step helps either: the sum of squares is flat to rounding here.
      if (damping > 1e12)
        return { parameters, sumOfSquares: sum, converged: Number.isFinite(sum), iterations: iteration }
      continue
    }
    const settled = sum - trialSum <= tolerance * sum || largest(step) <= tolerance
    parameters = trial
    current = trialResiduals
    sum = trialSum
    normal = null
    damping = Math.max(damping / 5, 1e-12)
    if (settled) return { parameters, sumOfSquares: sum, converged: true, iterations: iteration }
  }
  return { parameters, sumOfSquares: sum, converged: false, iterations: iterationsMax }
}

// JᵀJ (row-major) and Jᵀr.
interface NormalSystem {
  readonly gram: Float64Array
  readonly gradient: Float64Array
  readonly size: number
}

function linearise(
  residuals: (parameters: readonly number[]) => readonly number[],
  parameters: readonly number[],
  current: readonly number[],
): NormalSystem {
  const size = parameters.length
  const columns = parameters.map((value, index) => {
    const step = 1e-7 * Math.max(1, Math.abs(value))
    const moved = [...parameters]
    moved[index] = value + step
    return residuals(moved).map((residual, row) => (residual - (current[row] ?? 0)) / step)
  })
  const gram = new Float64Array(size * size)
  const gradient = new Float64Array(size)
  for (let i = 0; i < size; i++) {
    const left = columns[i] ?? []
    gradient[i] = dot(left, current)
    for (let j = 0; j <= i; j++) {
      const value = dot(left, columns[j] ?? [])
      gram[i * size + j] = value
      gram[j * size + i] = value
    }
  }
  return { gram, gradient, size }
}

// Gaussian elimination with partial pivoting; null when the damped matrix is singular.
function solveDamped({ gram, gradient, size }: NormalSystem, damping: number): number[] | null {
  const rows = Array.from({ length: size }, (_, i) => {
    const row = Array.from({ length: size }, (_, j) => gram[i * size + j] ?? 0)
    const diagonal = row[i] ?? 0
    row[i] = diagonal + damping * Math.max(diagonal, 1e-12)
    return [...row, -(gradient[i] ?? 0)]
  })
  for (let column = 0; column < size; column++) {
    const pivot = pivotRow(rows, column)
    if (!(Math.abs(rows[pivot]?.[column] ?? 0) > 1e-300)) return null
    const swapped = rows[pivot] as number[]
    rows[pivot] = rows[column] as number[]
    rows[column] = swapped
    for (let row = column + 1; row < size; row++) {
      const factor = (rows[row]?.[column] ?? 0) / (swapped[column] ?? 1)
      if (factor !== 0) subtractScaled(rows[row] as number[], swapped, factor)
    }
  }
  const solution = new Array<number>(size).fill(0)
  for (let row = size - 1; row >= 0; row--) {
    const values = rows[row] as number[]
    let value = values[size] ?? 0
    for (let column = row + 1; column < size; column++)
      value -= (values[column] ?? 0) * (solution[column] ?? 0)
    solution[row] = value / (values[row] ?? 1)
  }
  return solution
}

function pivotRow(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let row = column + 1; row < rows.length; row++) {
    if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = row
  }
  return best
}

function subtractScaled(target: number[], source: readonly number[], factor: number): void {
  for (let index = 0; index < target.length; index++) {
    target[index] = (target[index] ?? 0) - factor * (source[index] ?? 0)
  }
}

function sumOfSquares(values: readonly number[]): number {
  const sum = dot(values, values)
  // A model that overflowed is worse than any other, not equal to it.
  return Number.isNaN(sum) ? Number.POSITIVE_INFINITY : sum
}

function dot(left: readonly number[], right: readonly number[]): number {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}

function largest(values: readonly number[]): number {
  return values.reduce((best, value) => Math.max(best, Math.abs(value)), 0)
}
