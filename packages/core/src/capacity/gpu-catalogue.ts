/**
 * GPUs as their sources describe them. Memory is what the source calls usable; where it gives no figure there is none
 * here. Prices are ranges with a date, to compare an own price with: they move monthly, so a plan brings its own.
 *
 * Sources: [A] ai-dynamo/aiconfigurator @ 095f58a, systems/*.yaml (Apache-2.0); [B] alpharomercoma/MI300X-vs-H200 @
 * 6077fdc and Vultr's ROCm hardware requirements; [C] the DGX Spark handbook by exo labs and Hugging Face's page on
 * GB10; [D] derived from a published decode rate and NVIDIA's data sheet; [M] mercatus-ai.com, cloud GPU pricing, May
 * 2026; [I] aimultiple.com GPU index, 20 May 2026, median of 37 providers.
 */

export interface Gpu {
  readonly name: string
  readonly memoryGib: number
  readonly bandwidthGBPerS: number
  /** Dense TFLOP/s; null where no source gives it. */
  readonly bf16Tflops: number | null
  readonly fp8Tflops: number | null
  readonly powerW: number
  readonly source: string
}

export interface GpuPrice {
  readonly gpu: string
  readonly lowPerHour: number
  readonly highPerHour: number
  readonly tier: string
  readonly date: string
  readonly source: string
}

/** Columns: name, memory GiB, bandwidth GB/s, bf16 and fp8 dense TFLOP/s, power W, source. */
const ROWS: readonly (readonly [string, number, number, number | null, number | null, number, string])[] = [
  ['A100-40GB-SXM', 40, 1555, 312, null, 400, 'D'],
  ['A100-80GB-SXM', 80, 2039, 312, null, 400, 'A'],
  ['A100-80GB-PCIe', 80, 1935, 312, null, 300, 'A'],
  ['H100-SXM', 80, 3350, 989, 1978, 700, 'A'],
  ['H200-SXM', 141, 4800, 989, 1978, 700, 'A'],
  ['B200-SXM', 180, 7700, 2250, 4500, 1000, 'A'],
  ['B300-SXM', 268.6, 7750, 2250, 4500, 1100, 'A'],
  ['L4', 24, 300, 121, 242, 72, 'A'],
  ['L40S', 45, 864, 362.05, 733, 350, 'A'],
  ['RTX-PRO-6000-Blackwell-Server', 95.6, 1792, 467.8, 935.6, 600, 'A'],
  ['MI300X', 192, 5300, 1307.4, 2614.9, 750, 'B'],
  ['DGX-Spark-GB10', 128, 273, null, null, 140, 'C'],
]

export const GPUS: readonly Gpu[] = ROWS.map(
  ([name, memoryGib, bandwidthGBPerS, bf16Tflops, fp8Tflops, powerW, source]) => ({
    name,
    memoryGib,
    bandwidthGBPerS,
    bf16Tflops,
    fp8Tflops,
    powerW,
    source,
  }),
)

/** USD per GPU and hour, on demand. */
export const GPU_PRICES: readonly GpuPrice[] = [
  price('A100-80GB-SXM', [1.5, 3], 'hyperscaler', 'M'),
  price('A100-80GB-SXM', [1.1, 1.5], 'specialty', 'M'),
  price('A100-80GB-SXM', [0.8, 1.1], 'long-tail', 'M'),
  price('H100-SXM', [3.5, 5], 'hyperscaler', 'M'),
  price('H100-SXM', [2.5, 3.5], 'specialty', 'M'),
  price('H100-SXM', [1.99, 2.5], 'long-tail', 'M'),
  price('H100-SXM', [2.95, 2.95], 'median of 37 providers', 'I'),
  price('H200-SXM', [4.5, 7], 'hyperscaler', 'M'),
  price('H200-SXM', [3.5, 4.5], 'specialty', 'M'),
  price('H200-SXM', [2.5, 3.5], 'long-tail', 'M'),
]

/** A GPU by its name, case and punctuation ignored; null when the catalogue does not have it. */
export function findGpu(name: string): Gpu | null {
  const wanted = plain(name)
  return GPUS.find((gpu) => plain(gpu.name) === wanted) ?? null
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function price(gpu: string, range: readonly [number, number], tier: string, source: 'M' | 'I'): GpuPrice {
  const date = source === 'I' ? '2026-05-20' : '2026-05'
  return { gpu, lowPerHour: range[0], highPerHour: range[1], tier, date, source }
}
