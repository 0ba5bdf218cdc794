/** The plan's JSON Schema: what the dashboard's form and an editor's completion are made of. */
import { PlanInputSchema } from '@loadcurve/core/plan/schema'
import { Type } from 'typebox'
import type { Api } from '../api.ts'

export async function planSchemaRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/plan-schema',
    {
      schema: {
        tags: ['plans'],
        summary: 'The JSON Schema of a plan',
        response: {
          200: Type.Unknown({ description: 'JSON Schema with descriptions, defaults and examples.' }),
        },
      },
    },
    async () => PlanInputSchema,
  )
}
