import type { ApiPrice } from './cost.ts'
import type { FleetHardware } from './fleet-size.ts'

/** How GPUs are bought, and at which price. */
export interface Purchase extends FleetHardware {
  readonly pricePerGpuHour: number | null
  /** Day the price was read. */
  readonly priceDate: string | null
  readonly apiPrice: ApiPrice | null
}
