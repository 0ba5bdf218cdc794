/**
 * Weighted least squares with non-negative coefficients, for the handful of columns a step-time law has.
 *
 * Every coefficient of such a law is a cost (ms per step, ms per sequence), so a negative one is noise and would turn
 * an extrapolation over. The problem  min Σ w_i (y_i − Σ_j x_ij c_j)²,  c ≥ 0  is convex: when the unconstrained
 * solution is already non-negative it is the answer; otherwise the answer is the unconstrained solution on some
 * subset of the columns (the others are zero), and with at most four columns all subsets can be tried. No iteration,
 * no tolerance, no convergence to argue about.
 */

export interface LeastSquaresProblem {
  /** One row of the design matrix per observation. */
  readonly rows: readonly (readonly number[])[]
  readonly values: readonly number[]
  /** w_i > 0, usually 1/variance. */
  readonly weights: readonly number[]
}

/**
 * Coefficients c ≥ 0 that minimise Σ w (y − Xc)².
 *
 * Columns that the observations cannot tell apart get the solution with the fewest columns in use.
 *
 * @throws RangeError when rows, values and weights differ in length, or there are no or more than four columns
 */
export function nonNegativeLeastSquares(problem: LeastSquaresProblem): number[] {
  const { rows, values, weights } = problem
  if (rows.length !== values.length || rows.length !== weights.length) {
    throw new RangeError(
      `rows, values and weights must have one length, got ${rows.length}, ${values.length}, ${weights.length}`,
    )
  }
  const width = rows[0]?.length ?? 0
  if (width < 1 || width > 4) throw new RangeError(`one to four columns are supported, got ${width}`)
  return solveNormalEquations(normalEquations(problem, width), width)
}

/** Σ w (y − Xc)² of given coefficients. */
export function residualSumOfSquares(problem: LeastSquaresProblem, coefficients: readonly number[]): number {
  let sum = 0
  problem.rows.forEach((row, index) => {
    const residual = at(problem.values, index) - dot(row, coefficients)
    sum += at(problem.weights, index) * residual * residual
  })
  return sum
}

// XᵀWX (row-major) and XᵀWy; columns scaled to unit norm so that the pivots can be judged against 1.
interface NormalEquations {
  readonly gram: Float64Array
  readonly moment: Float64Array
  readonly scale: Float64Array
}

function normalEquations({ rows, values, weights }: LeastSquaresProblem, width: number): NormalEquations {
  const gram = new Float64Array(width * width)
  const moment = new Float64Array(width)
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as readonly number[]
    const weight = at(weights, index)
    const value = at(values, index)
    for (let i = 0; i < width; i++) {
      const weighted = weight * at(row, i)
      moment[i] = at(moment, i) + weighted * value
      for (let j = 0; j <= i; j++) gram[i * width + j] = at(gram, i * width + j) + weighted * at(row, j)
    }
  }
  const scale = new Float64Array(width)
  for (let i = 0; i < width; i++) {
    const norm = Math.sqrt(at(gram, i * width + i))
    scale[i] = norm > 0 ? 1 / norm : 0
  }
  for (let i = 0; i < width; i++) {
    moment[i] = at(moment, i) * at(scale, i)
    for (let j = 0; j <= i; j++) {
      const scaled = at(gram, i * width + j) * at(scale, i) * at(scale, j)
      gram[i * width + j] = scaled
      gram[j * width + i] = scaled
    }
  }
  return { gram, moment, scale }
}

function solveNormalEquations({ gram, moment, scale }: NormalEquations, width: number): number[] {
  const full = (1 << width) - 1
  let best = solveOn({ gram, moment, width, columns: full })
  if (best === null || best.some((coefficient) => coefficient < 0)) {
    best = bestOfSubsets({ gram, moment, width })
  }
  return best.map((coefficient, index) => coefficient * at(scale, index))
}

// The objective is yᵀWy − momentᵀc at a stationary point, so the subset with the largest momentᵀc wins.
function bestOfSubsets(system: { gram: Float64Array; moment: Float64Array; width: number }): number[] {
  let best = new Array<number>(system.width).fill(0)
  let bestGain = 0
  for (const columns of SUBSETS_BY_SIZE) {
    if (columns >= 1 << system.width) continue
    const solution = solveOn({ ...system, columns })
    if (solution === null || solution.some((coefficient) => coefficient < 0)) continue
    const gain = dot(solution, system.moment)
    if (gain > bestGain * (1 + 1e-12)) {
      best = solution
      bestGain = gain
    }
  }
  return best
}

const SUBSETS_BY_SIZE = Array.from({ length: 15 }, (_, index) => index + 1).sort(
  (left, right) => bitCount(left) - bitCount(right),
)

function bitCount(bits: number): number {
  return [1, 2, 4, 8].filter((bit) => (bits & bit) !== 0).length
}

// Cholesky on the chosen columns; null when they are linearly dependent.
function solveOn(system: {
  gram: Float64Array
  moment: Float64Array
  width: number
  columns: number
}): number[] | null {
  const { gram, moment, width, columns } = system
  const used: number[] = []
  for (let i = 0; i < width; i++) if (columns & (1 << i)) used.push(i)
  const n = used.length
  const lower = new Float64Array(n * n)
  const solution = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    const row = at(used, i)
    let value = at(moment, row)
    for (let j = 0; j <= i; j++) {
      let sum = at(gram, row * width + at(used, j))
      for (let k = 0; k < j; k++) sum -= at(lower, i * n + k) * at(lower, j * n + k)
      if (i === j) {
        // Columns have unit norm: a pivot this small is dependence, not information.
        if (!(sum > 1e-12)) return null
        lower[i * n + i] = Math.sqrt(sum)
      } else {
        lower[i * n + j] = sum / at(lower, j * n + j)
        value -= at(lower, i * n + j) * at(solution, j)
      }
    }
    solution[i] = value / at(lower, i * n + i)
  }
  for (let i = n - 1; i >= 0; i--) {
    let value = at(solution, i)
    for (let k = i + 1; k < n; k++) value -= at(lower, k * n + i) * at(solution, k)
    solution[i] = value / at(lower, i * n + i)
  }
  const coefficients = new Array<number>(width).fill(0)
  used.forEach((column, index) => {
    coefficients[column] = at(solution, index)
  })
  return coefficients
}

function dot(left: readonly number[], right: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += at(left, index) * at(right, index)
  return sum
}

// Indices come from the loops above, so the element is there.
function at(values: ArrayLike<number>, index: number): number {
  return values[index] as number
}
