/**
 * Sizes to which a server pads its decode batch. An engine that replays prepared graphs (CUDA graphs, compiled shapes)
 * has prepared some batch sizes only, and runs any other as slowly as the next larger one.
 */

/** Ascending, positive. Beyond the last one nothing is padded. */
export type CaptureSizes = readonly number[]

/** Of a server that pads nothing. */
export const UNPADDED: CaptureSizes = []

/** No engine captures a larger batch, nor nearly so many. */
export const CAPTURE_SIZE_MAX = 65_536
export const CAPTURE_SIZES_MAX = 4_096

/** Sizes as somebody wrote them down: in any order, perhaps twice, or (in a plan of before there were any) not at all. */
export function captureSizesOf(written: readonly number[] | null | undefined): CaptureSizes | null {
  if (written === null || written === undefined) return null
  return [...new Set(written)].sort((left, right) => left - right)
}

/** Finer strides are in use too, but cost too little to matter. */
const STRIDE_MIN = 8

/** The batch as which one of b sequences runs. */
export function paddedBatch(sizes: CaptureSizes, batch: number): number {
  let below = 0
  let above = sizes.length
  while (below < above) {
    const middle = (below + above) >> 1
    if ((sizes[middle] as number) >= batch) above = middle
    else below = middle + 1
  }
  return sizes[below] ?? batch
}

/**
 * What engines prepare, up to at least four times `largest`: powers of two up to a stride, multiples of the stride from
 * there on, and from some size on powers of two again. With a stride of 8 throughout these are the usual defaults of
 * vLLM; with powers of two beyond 128 those of TensorRT-LLM; with powers of two throughout, compilers with buckets.
 */
export function usualCaptureSizes(largest: number): CaptureSizes[] {
  const top = 2 ** Math.ceil(Math.log2(Math.max(STRIDE_MIN, largest)))
  const different = new Map<string, CaptureSizes>()
  for (let stride = STRIDE_MIN; stride <= top; stride *= 2) {
    for (let doublingFrom = stride; doublingFrom <= 2 * top; doublingFrom *= 2) {
      const sizes = sizesUpTo(4 * top, { stride, doublingFrom })
      different.set(sizes.filter((size) => size <= 2 * top).join(), sizes)
    }
  }
  return [...different.values()]
}

function sizesUpTo(
  last: number,
  { stride, doublingFrom }: { readonly stride: number; readonly doublingFrom: number },
): number[] {
  const sizes: number[] = []
  for (let size = 1; size <= last; size += size < stride || size >= doublingFrom ? size : stride) {
    sizes.push(size)
  }
  return sizes
}
