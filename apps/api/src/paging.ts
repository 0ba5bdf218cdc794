/** Lists come in pages; the cursor of the next one is opaque, so that what it holds may change. */
import { Type } from 'typebox'
import { invalid } from './problem.ts'

export const ListQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page.' }),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: '`nextCursor` of the page before.' })),
  },
  { additionalProperties: false },
)

export const cursorOf = (before: number | null): string | null =>
  before === null ? null : Buffer.from(`before:${before}`).toString('base64url')

/** @throws Problem when it is none of ours */
export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const match = /^before:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (match?.[1] !== undefined) return Number(match[1])
  throw invalid('invalid-cursor', [
    {
      path: 'cursor',
      code: 'cursor',
      message: 'This is no cursor of a list here.',
      whatToDo: 'Take `nextCursor` of a page.',
    },
  ])
}
