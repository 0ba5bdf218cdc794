/**
 * A beginning that no other prompt has. Servers keep the KV cache of prompts they have seen, and a prompt that begins
 * like an earlier one skips its prefill: a benchmark with a common beginning measures the cache (2.3 times the
 * throughput, 49 times the TTFT, were seen). So every prompt differs from its first token on.
 */

import { WORDS } from './words.ts'

/** Words of a nonce. */
export const NONCE_WORDS = 6

/**
 * The nonce of a prompt, in words, each of which spells a byte. Four spell the index, mixed with the salt; two more
 * spell the salt, so that another process, or tomorrow's run, does not repeat today's prompts. The first word differs
 * between any 256 prompts in a row.
 *
 * @param index of the request in its step, a whole number from 0 to 2^32 - 1; unique within the salt
 * @param salt any whole number from 0 to 2^32 - 1, drawn anew for every step and process
 */
export function nonceWords({ index, salt }: { readonly index: number; readonly salt: number }): string[] {
  const mixed = (index ^ salt) >>> 0
  const bytes = [mixed, mixed >>> 8, mixed >>> 16, mixed >>> 24, salt >>> 4, salt >>> 12]
  return bytes.map((byte) => WORDS[byte & 0xff] ?? 'able')
}
