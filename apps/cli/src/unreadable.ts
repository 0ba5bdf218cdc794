/** Why a file cannot be read, in words, and what to do about it. */
import { readdirSync } from 'node:fs'
import { basename, dirname, extname } from 'node:path'
import { didYouMean } from './suggest.ts'

/** A file that is missing is often one of its neighbours, misspelt. */
export function whyUnreadable(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT')
    return `there is no such file.${didYouMean(basename(path), neighbours(path)) || HINT}`
  if (code === 'EISDIR') return 'is a folder, not a file. Name a file in it.'
  if (code === 'EACCES' || code === 'EPERM')
    return 'may not be read by you. Ask for the right to, or copy it.'
  return `cannot be read (${code || String(error)})`
}

const HINT = ' Check the path: it counts from the folder that you are in.'

function neighbours(path: string): string[] {
  try {
    return readdirSync(dirname(path)).filter((name) => extname(name) === extname(path))
  } catch {
    return []
  }
}
