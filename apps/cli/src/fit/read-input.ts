/** The bytes of the table: a file, or standard input when it is named `-`. Bounded either way. */
import { open } from 'node:fs/promises'
import type { CommandContext } from '../context.ts'
import type { Violation } from '../errors.ts'
import { whyUnreadable } from '../unreadable.ts'
import { TABLE_BYTES_MAX } from './csv-table.ts'

/** Null when it cannot be read; why is then among the violations. */
export async function readInput(
  path: string,
  context: CommandContext,
  violations: Violation[],
): Promise<Uint8Array | null> {
  const name = path === '-' ? 'standard input' : path
  let bytes: Uint8Array | null
  try {
    bytes = path === '-' ? await bounded(context.stdin) : await readFile(path)
  } catch (error) {
    violations.push({ path: name, message: whyUnreadable(path, error) })
    return null
  }
  if (bytes === null) {
    const message = `has more than ${TABLE_BYTES_MAX / 2 ** 20} MiB; a table has one row for each level`
    violations.push({ path: name, message })
  }
  return bytes
}

async function readFile(path: string): Promise<Uint8Array | null> {
  const file = await open(path)
  try {
    return await bounded(file.createReadStream({ autoClose: false }))
  } finally {
    await file.close()
  }
}

// Null when there is more than is read; the rest is left where it is.
async function bounded(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > TABLE_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
