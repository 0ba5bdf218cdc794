/** One error handler: problems as they are, schema violations all at once, everything else a 500 that tells nothing. */
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify'
import plugin from 'fastify-plugin'
import { Problem, type ProblemInput, type Violation } from '../problem.ts'

export const problems = plugin(async (app: FastifyInstance) => {
  app.setErrorHandler((error: FastifyError | Problem, request, reply) => {
    if (error instanceof Problem) return sendProblem(reply, request, error.input)
    const known = fromFramework(error)
    if (known) return sendProblem(reply, request, known)
    request.log.error({ err: error }, 'request failed')
    return sendProblem(reply, request, {
      status: 500,
      code: 'internal-error',
      title: 'Internal error',
      detail: `Something failed on our side. The log line with this request's id says what.`,
    })
  })
})

export function sendProblem(
  reply: FastifyReply,
  request: FastifyRequest,
  problem: ProblemInput,
): FastifyReply {
  for (const [name, value] of Object.entries(problem.headers ?? {})) reply.header(name, value)
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send({
      type: 'about:blank',
      title: problem.title,
      status: problem.status,
      code: problem.code,
      detail: problem.detail,
      instance: String(request.id),
      ...(problem.violations === undefined ? {} : { violations: problem.violations }),
    })
}

function fromFramework(error: FastifyError): ProblemInput | null {
  if (error.validation) {
    const violations = error.validation.map((failure) => toViolation(failure, error.validationContext))
    return {
      status: 400,
      code: 'invalid-request',
      title: 'Invalid request',
      detail: violations.map((violation) => violation.message).join(' '),
      violations,
    }
  }
  const status = error.statusCode ?? 500
  if (status >= 500) return null
  return {
    status,
    code: FRAMEWORK_CODES[error.code] ?? 'bad-request',
    title: 'Bad request',
    detail: error.message,
  }
}

const FRAMEWORK_CODES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'empty-body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid-json',
}

function toViolation(failure: FastifySchemaValidationError, context: string | undefined): Violation {
  const unknown = failure.params.additionalProperty ?? failure.params.missingProperty
  const parts = failure.instancePath.split('/').slice(1)
  if (typeof unknown === 'string') parts.push(unknown)
  const path = parts.reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : join(text, part)), '')
  const where = path === '' ? (context ?? 'request') : `${context ?? 'request'} ${path}`
  return { path, code: failure.keyword, message: `${where}: ${explain(failure)}.`, whatToDo: '' }
}

const join = (left: string, right: string): string => (left === '' ? right : `${left}.${right}`)

function explain(failure: FastifySchemaValidationError): string {
  if (failure.keyword === 'additionalProperties') return 'is no field here'
  if (failure.keyword === 'required') return 'is required'
  if (failure.keyword === 'enum' && Array.isArray(failure.params.allowedValues)) {
    return `must be one of ${failure.params.allowedValues.join(', ')}`
  }
  return failure.message ?? 'is not valid'
}
