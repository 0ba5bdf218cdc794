/** Every migration by name, in order. A list and not a folder scan: it is the same from source and from a build. */
import type { Migration } from 'kysely'
import * as initial from './0001-initial.ts'

export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
}
