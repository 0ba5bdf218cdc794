/**
 * Validation that reports everything and removes nothing. Fastify's default compiler drops unknown fields in silence
 * and stops at the first error; a person who misspells `maxMs` must hear of it, together with their other mistakes.
 */
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'

const strictness = { allErrors: true, removeAdditional: false, useDefaults: true, strict: false } as const

export const validation = plugin(async (app: FastifyInstance) => {
  // Query strings and path parameters are text: numbers in them have to be read. A JSON body says what it means.
  const body = addFormats.default(new Ajv({ ...strictness, coerceTypes: false }))
  const text = addFormats.default(new Ajv({ ...strictness, coerceTypes: 'array' }))
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'body' ? body : text).compile(schema as object),
  )
})
