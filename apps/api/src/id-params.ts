/** Path parameters of everything that is named by its id. */
import { Type } from 'typebox'

export const IdParams = Type.Object({ id: Type.String({ format: 'uuid' }) })
