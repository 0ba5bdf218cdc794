/**
 * Ready-made servers with realistic numbers. Each `basis` says where they come from; none is a measurement of a
 * particular machine.
 */
import type { ServerLaw } from '../model/law.ts'

export interface Preset {
  readonly name: PresetName
  readonly summary: string
  /** Model id that the server answers with. */
  readonly model: string
  readonly maxModelTokens: number
  readonly basis: string
  readonly law: ServerLaw
  /** The lengths that the preset is meant to be read with; /sim/truth uses them unless told otherwise. */
  readonly typicalInputTokens: number
  readonly typicalOutputTokens: number
}

export const PRESET_NAMES = ['8b-h100', '70b-2xh100', 'moe', 'prefill-bound', 'small'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

const PLAIN: Pick<
  ServerLaw,
  'experts' | 'capturedBatches' | 'perContextTokenMs' | 'noise' | 'hiccup' | 'prefixCache'
> = {
  experts: null,
  capturedBatches: [],
  perContextTokenMs: 0,
  noise: { stepCv: 0.01, prefillCv: 0.02 },
  hiccup: null,
  prefixCache: true,
}

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  '8b-h100': {
    name: '8b-h100',
    summary: '8 billion parameters in 16 bits on one 80 GB GPU; decode is bound by memory bandwidth',
    model: 'sim/llama-8b',
    maxModelTokens: 32_768,
    basis:
      '16 GB of weights at 3.35 TB/s give 4.8 ms, about 70 % of a measured step; 131 kB of KV per token; ' +
      '16 TFLOP per 1,000 prompt tokens at half of 990 TFLOP/s',
    law: {
      ...PLAIN,
      baseMs: 6.8,
      perSequenceMs: 0.021,
      perContextTokenMs: 0.000055,
      prefill: { perPromptMs: 1.2, perTokenMs: 0.033, perTokenSquaredMs: 4e-7 },
      maxNumSeqs: 256,
      maxNumBatchedTokens: 8192,
      kv: { blocks: 27_000, blockTokens: 16 },
    },
    typicalInputTokens: 512,
    typicalOutputTokens: 256,
  },
  '70b-2xh100': {
    name: '70b-2xh100',
    summary:
      '70 billion parameters in 8 bits on two 80 GB GPUs, 86 slots: saturates at a decode batch near 85',
    model: 'sim/llama-70b',
    maxModelTokens: 32_768,
    basis:
      'the step-time split of a published closed-loop table (Llama-3.3-70B, FP8, two H100, 5000/500 tokens, ' +
      'NVIDIA NIM 1.8): a own prefill taken out of its slope',
    law: {
      ...PLAIN,
      baseMs: 18.44,
      perSequenceMs: 0.1,
      prefill: { perPromptMs: 3, perTokenMs: 0.0705, perTokenSquaredMs: 1.3e-6 },
      maxNumSeqs: 86,
      maxNumBatchedTokens: null,
      kv: { blocks: 60_000, blockTokens: 16 },
    },
    typicalInputTokens: 5000,
    typicalOutputTokens: 500,
  },
  moe: {
    name: 'moe',
    summary: 'mixture of 128 experts, 4 active per token: step time rises steeply at first, then straight',
    model: 'sim/moe-120b',
    maxModelTokens: 65_536,
    basis:
      'a = 2.52, slope 0.107, d = 5.65 ms fitted to a public curve of a 120B mixture in 4 bits on one B200',
    law: {
      ...PLAIN,
      baseMs: 2.52,
      perSequenceMs: 0.045,
      experts: { scaleMs: 5.65, activeFraction: 4 / 128 },
      prefill: { perPromptMs: 2, perTokenMs: 0.0075, perTokenSquaredMs: 5e-8 },
      maxNumSeqs: 256,
      maxNumBatchedTokens: 8192,
      kv: { blocks: 120_000, blockTokens: 16 },
    },
    typicalInputTokens: 2000,
    typicalOutputTokens: 1000,
  },
  'prefill-bound': {
    name: 'prefill-bound',
    summary:
      'long prompts, short answers: other prompts, not slots, make everybody wait; chunks of 2,048 tokens',
    model: 'sim/summariser-8b',
    maxModelTokens: 65_536,
    basis: 'the 8B server on a GPU with a fifth of the arithmetic; 8,000-token prompts need four chunks',
    law: {
      ...PLAIN,
      baseMs: 9,
      perSequenceMs: 0.05,
      perContextTokenMs: 0.00012,
      prefill: { perPromptMs: 2, perTokenMs: 0.12, perTokenSquaredMs: 1.5e-6 },
      maxNumSeqs: 64,
      maxNumBatchedTokens: 2048,
      kv: { blocks: 40_000, blockTokens: 16 },
    },
    typicalInputTokens: 8000,
    typicalOutputTokens: 100,
  },
  small: {
    name: 'small',
    summary: 'the demo: 16 slots, 12.8 to 25 ms per step; saturates visibly and costs a laptop little',
    model: 'sim/small',
    maxModelTokens: 8192,
    basis: 'chosen so that a real-time sweep takes minutes and 32 clients cost little CPU',
    law: {
      ...PLAIN,
      baseMs: 12,
      perSequenceMs: 0.7,
      prefill: { perPromptMs: 2, perTokenMs: 0.02, perTokenSquaredMs: 1e-7 },
      maxNumSeqs: 16,
      maxNumBatchedTokens: 2048,
      kv: { blocks: 4096, blockTokens: 16 },
    },
    typicalInputTokens: 128,
    typicalOutputTokens: 64,
  },
}
