/**
 * Errors as the API answers them: RFC 9457 problem details with a stable `code`, and for wrong input every violation
 * with its path. Programs match `code`; people read `detail`.
 */
import { type Static, type TSchema, Type } from 'typebox'

export const Violation = Type.Object(
  {
    path: Type.String({ description: 'Where it is, e.g. `slo[0].maxMs`; empty for the whole document.' }),
    code: Type.String({ description: 'Stable code of the rule.' }),
    message: Type.String({ description: 'What is wrong.' }),
    whatToDo: Type.String({ description: 'What to do about it; may be empty.' }),
  },
  { additionalProperties: false },
)
export type Violation = Static<typeof Violation>

export const ProblemDetails = Type.Object(
  {
    type: Type.String({ examples: ['about:blank'] }),
    title: Type.String({ examples: ['Unprocessable plan'] }),
    status: Type.Integer({ examples: [422] }),
    code: Type.String({ description: 'Stable; match this, never the text.', examples: ['invalid-plan'] }),
    detail: Type.String(),
    instance: Type.String({ description: 'Id of the request in the logs.' }),
    violations: Type.Optional(Type.Array(Violation)),
  },
  { $id: 'Problem', description: 'RFC 9457 problem details.' },
)
export type ProblemDetails = Static<typeof ProblemDetails>

export interface ProblemInput {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly violations?: readonly Violation[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Thrown by a route to answer with a problem. Anything else that is thrown becomes a 500 without its text. */
export class Problem extends Error {
  readonly input: ProblemInput
  constructor(input: ProblemInput) {
    super(input.detail)
    this.input = input
  }
}

export const notFound = (what: string, id: string): Problem =>
  new Problem({
    status: 404,
    code: `${what}-not-found`,
    title: 'Not found',
    detail: `There is no ${what} ${id}. GET the list to see what there is.`,
  })

export const invalid = (code: string, violations: readonly Violation[]): Problem =>
  new Problem({
    status: 422,
    code,
    title: 'Invalid input',
    detail:
      violations.length === 1
        ? (violations[0]?.message ?? '')
        : `${violations.length} violations; each is listed with its path.`,
    violations,
  })

export const conflict = (code: string, detail: string): Problem =>
  new Problem({ status: 409, code, title: 'Conflict', detail })

/** The problem document for each of these statuses, for a route's `response`. */
export function failures(...statuses: readonly number[]): Record<number, TSchema> {
  return Object.fromEntries([...statuses, 500].map((status) => [status, Type.Ref('Problem')]))
}
