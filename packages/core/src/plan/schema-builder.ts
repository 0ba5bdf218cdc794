/**
 * Every object of a plan exists twice: as a person writes it (fields with a default may be left out) and as the program
 * reads it (everything filled). Both are made from one list of fields, so they cannot drift apart.
 */

import type { TNull, TObject, TOptional, TProperties, TSchema, TUnion } from 'typebox'
import { Type } from 'typebox'

type Written<Fields extends TProperties, Required extends keyof Fields> = {
  [Key in keyof Fields]: Key extends Required ? Fields[Key] : TOptional<Fields[Key]>
}

/** The object with all fields present, as `resolve` leaves it. Unknown fields are refused. */
export function filled<Fields extends TProperties>(fields: Fields, description: string): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false, description })
}

/** The object as a person writes it: only `required` must be there. Unknown fields are refused. */
export function written<Fields extends TProperties, Required extends keyof Fields & string>(
  fields: Fields,
  required: readonly Required[],
  options: {
    readonly description: string
    readonly default?: object
    readonly examples?: readonly unknown[]
  },
): TObject<Written<Fields, Required>> {
  const properties: TProperties = {}
  for (const [key, field] of Object.entries(fields)) {
    properties[key] = (required as readonly string[]).includes(key) ? field : Type.Optional(field)
  }
  return Type.Object(properties, { additionalProperties: false, ...options }) as unknown as TObject<
    Written<Fields, Required>
  >
}

/** The value, or null for "none"; null when it is left out. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], { default: null, description: descriptionOf(schema) })
}

function descriptionOf(schema: TSchema): string {
  return (schema as { description?: string }).description ?? ''
}
