/** GPUs and models that the planner knows, with their sources and dates. */
import { GPU_PRICES, GPUS } from '@loadcurve/core/capacity/gpu-catalogue'
import { MODELS } from '@loadcurve/core/capacity/model-catalogue'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { failures } from '../problem.ts'

const tags = ['tools']
const items = (description: string) => Type.Object({ items: Type.Array(Type.Unknown({ description })) })

export async function catalogueRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/gpus',
    {
      schema: {
        tags,
        summary: 'The GPUs of the catalogue',
        description:
          'Prices are ranges of a day, to compare your own with; a plan brings its own price and date.',
        response: { 200: items('A GPU with its prices.'), ...failures(401) },
      },
    },
    async () => ({
      items: GPUS.map((gpu) => ({ ...gpu, prices: GPU_PRICES.filter((price) => price.gpu === gpu.name) })),
    }),
  )
  app.get(
    '/v1/models',
    {
      schema: {
        tags,
        summary: 'The models of the catalogue',
        response: { 200: items('The geometry that decides KV memory.'), ...failures(401) },
      },
    },
    async () => ({ items: [...MODELS] }),
  )
}
