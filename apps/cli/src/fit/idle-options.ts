/** Options that were given and change nothing, because they need another one: said, so that nobody waits for their effect. */
import type { FitOptions } from './fit-options.ts'

export function idleOptions({ pricePerGpuHour, demandPerS, gpu, model }: FitOptions): readonly string[] {
  return [
    ...(pricePerGpuHour !== null && demandPerS === null
      ? ['--price has no effect without --demand: a cost is that of a fleet']
      : []),
    ...(model !== null && gpu === null
      ? ['--model without --gpu gives no memory cap: KV memory is what a GPU has left beside the weights']
      : []),
  ]
}
