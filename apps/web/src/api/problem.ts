/** An error of the API as the dashboard shows it: a sentence, and every violation with the field it belongs to. */

export interface Violation {
  readonly path: string
  readonly code: string
  readonly message: string
}

export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly violations: readonly Violation[]

  constructor(input: { status: number; code: string; detail: string; violations?: readonly Violation[] }) {
    super(input.detail)
    this.status = input.status
    this.code = input.code
    this.violations = input.violations ?? []
  }
}

/** Reads a problem document; an answer that is none (a proxy's page, an empty body) becomes a sentence of its own. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const fallback = {
    status: response.status,
    code: 'unexpected-answer',
    detail: `The server answered ${response.status}.`,
  }
  try {
    const body = (await response.json()) as Partial<ApiProblem> & { detail?: string }
    if (typeof body.code !== 'string' || typeof body.detail !== 'string') return new ApiProblem(fallback)
    return new ApiProblem({
      status: response.status,
      code: body.code,
      detail: body.detail,
      violations: body.violations ?? [],
    })
  } catch {
    return new ApiProblem(fallback)
  }
}
