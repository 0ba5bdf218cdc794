/**
 * The settings that make two servers different for a benchmark, by the names that engines give them. A list of what
 * to keep, not of what to drop: an engine may add a clock or a counter to its page any day.
 */

import type { JsonObject } from '../wire/json.ts'

export type Setting = string | number | boolean

const KEPT = new Set([
  // Batch, queue and prefill budget.
  'max_num_seqs',
  'max_num_batched_tokens',
  'max_running_requests',
  'max_total_num_tokens',
  'max_prefill_tokens',
  'chunked_prefill_size',
  'schedule_policy',
  'max_concurrent_requests',
  'max_batch_total_tokens',
  'max_batch_size',
  'max_batch_prefill_tokens',
  'waiting_served_ratio',
  'total_slots',
  // Lengths.
  'max_model_len',
  'context_length',
  'max_input_tokens',
  'max_input_length',
  'max_total_tokens',
  'n_ctx',
  'n_ctx_train',
  // Parallelism, precision, memory.
  'tp_size',
  'dp_size',
  'pp_size',
  'ep_size',
  'tensor_parallel_size',
  'dtype',
  'model_dtype',
  'model_device_type',
  'quantization',
  'kv_cache_dtype',
  'cache_dtype',
  'mem_fraction_static',
  'gpu_memory_utilization',
  'block_size',
  'page_size',
  'num_gpu_blocks',
  'num_gpu_blocks_override',
  'swap_space',
  'sliding_window',
  'cpu_offload_gb',
  // Caching and speculation.
  'enable_prefix_caching',
  'disable_radix_cache',
  'speculative_algorithm',
  'speculative_num_steps',
  'speculative_num_draft_tokens',
  'speculate',
  'attention_backend',
  'disable_cuda_graph',
  // The model.
  'model_sha',
  'n_params',
  'ftype',
  'size',
  'n_vocab',
])

/**
 * The settings on a page, also in its nested objects one level down (`default_generation_settings` of llama.cpp,
 * `sim` of the simulator). A value that is no string, number or boolean is left out.
 */
export function pickSettings(page: JsonObject): Record<string, Setting> {
  const nested = Object.values(page).filter(isObject)
  return Object.assign({}, ...nested.map(kept), kept(page))
}

function kept(object: JsonObject): Record<string, Setting> {
  const entries = Object.entries(object).filter(
    (entry): entry is [string, Setting] => KEPT.has(entry[0]) && isSetting(entry[1]),
  )
  return Object.fromEntries(entries)
}

function isSetting(value: unknown): value is Setting {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
