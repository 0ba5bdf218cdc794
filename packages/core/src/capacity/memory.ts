/**
 * How many sequences KV memory holds. Each token of a sequence leaves a key and a value per layer and KV head:
 *
 *   bytes per token = 2 · layers · kv_heads · head_dim · bytes        (multi-head latent attention: layers·(rank + rope)·bytes)
 *
 * KV heads are split over the GPUs of tensor parallelism, at least one each; MLA latents are on every GPU. A sliding-window
 * layer keeps at most its window. What is left for the cache on a GPU is what the server may use less weights, activations
 * and the rest. Servers allocate it in blocks of tokens.
 */

/** Geometry of a model, from its published config. */
export interface ModelGeometry {
  readonly layers: number
  readonly kvHeads: number
  readonly headDim: number
  /** Multi-head latent attention caches rank + rope values per layer instead of heads. */
  readonly latent: { readonly rank: number; readonly rope: number } | null
  /** Layers that attend to the last `tokens` only; null when all layers see everything. */
  readonly slidingWindow: { readonly layers: number; readonly tokens: number } | null
}

export interface MemoryBudget {
  /** Memory of one GPU, GiB. */
  readonly totalGib: number
  /** Share of it that the server may use, (0, 1]. */
  readonly utilizationFraction: number
  /** Per GPU, GiB. */
  readonly weightsGib: number
  readonly activationGib: number
  readonly otherGib: number
}

/** GiB per GPU left for the KV cache; negative when the rest does not fit. */
export function kvCacheGib(budget: MemoryBudget): number {
  return (
    budget.utilizationFraction * budget.totalGib - budget.weightsGib - budget.activationGib - budget.otherGib
  )
}

/** Bytes of KV cache that one token takes on one GPU, all layers counted, no window. */
export function kvBytesPerToken(
  model: ModelGeometry,
  cache: { bytesPerElement: number; tensorParallel: number },
): number {
  return model.layers * kvBytesPerLayer(model, cache)
}

/** Bytes of KV cache that a sequence of so many tokens takes on one GPU, in whole blocks. */
export function sequenceBytes(
  model: ModelGeometry,
  sequence: { tokens: number; blockTokens: number; bytesPerElement: number; tensorParallel: number },
): number {
  const { tokens, blockTokens } = sequence
  const perLayer = kvBytesPerLayer(model, sequence)
  const held = Math.ceil(tokens / blockTokens) * blockTokens
  const sliding = model.slidingWindow
  if (sliding === null) return model.layers * held * perLayer
  const window = Math.ceil(Math.min(tokens, sliding.tokens) / blockTokens) * blockTokens
  return ((model.layers - sliding.layers) * held + sliding.layers * window) * perLayer
}

export interface SequenceCapacity {
  /** Every sequence at its full length I + O: never preempts. */
  readonly worstCase: number
  /** Every sequence at its mean length I + O/2: allocation on demand. */
  readonly mean: number
}

/** Sequences that a cache holds at given mean lengths. */
export function sequenceCapacity(
  model: ModelGeometry,
  cache: {
    availableGib: number
    inputTokens: number
    outputTokens: number
    blockTokens: number
    bytesPerElement: number
    tensorParallel: number
  },
): SequenceCapacity {
  const availableBytes = Math.max(0, cache.availableGib) * 2 ** 30
  const sequences = (tokens: number) =>
    Math.floor(availableBytes / sequenceBytes(model, { ...cache, tokens }))
  return {
    worstCase: sequences(cache.inputTokens + cache.outputTokens),
    mean: sequences(cache.inputTokens + cache.outputTokens / 2),
  }
}

function kvBytesPerLayer(
  model: ModelGeometry,
  cache: { bytesPerElement: number; tensorParallel: number },
): number {
  if (model.latent !== null) return (model.latent.rank + model.latent.rope) * cache.bytesPerElement
  const headsPerGpu = Math.max(1, Math.ceil(model.kvHeads / cache.tensorParallel))
  return 2 * headsPerGpu * model.headDim * cache.bytesPerElement
}
