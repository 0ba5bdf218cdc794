/**
 * Validation that reports everything and removes nothing. Fastify's default compiler drops unknown fields in silence
 * and stops at the first error; a person who misspells `maxMs` must hear of it, together with their other mistakes.
 */
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import plugin from 'fastify-plugin'

const strictness = { allErrors: true, removeAdditional: false, useDefaults: true, strict: false } as const

// Query strings and path parameters are text: numbers in them have to be read. A JSON body says what it means.
const bodies = addFormats.default(new Ajv({ ...strictness, coerceTypes: false }))
const texts = addFormats.default(new Ajv({ ...strictness, coerceTypes: 'array' }))

const compile: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodies : texts).compile(schema)

/** For bodies that core validates in its own words; their schema is still what OpenAPI shows. */
export const compileExceptBody: FastifySchemaCompiler<object> = (part) =>
  part.httpPart === 'body' ? () => true : compile(part)

export const validation = plugin(async (app: FastifyInstance) => {
  app.setValidatorCompiler(compile)
})
