/**
 * Which account runs Postgres, and where its files may lie.
 *
 * Postgres refuses to run as root. When we are root it runs as `nobody`, who cannot look into a home folder of mode
 * 700: the program and the cluster then live under `/var/lib/loadcurve`, which root owns and everyone may traverse.
 * An ordinary user keeps everything in the own data folder.
 */
import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The user and group that child processes switch to; null when they stay what we are. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

export interface PostgresPlaces {
  readonly account: Account | null
  readonly binariesParent: string
  readonly clusterParent: string
}

const SYSTEM_FOLDER = '/var/lib/loadcurve'
const UNPRIVILEGED_ID = 65534

/** The data folder when `LOADCURVE_DATA_DIR` does not name one. */
export function defaultDataDir(environment: Readonly<Record<string, string | undefined>>): string {
  if (process.getuid?.() === 0) return SYSTEM_FOLDER
  return join(environment['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'loadcurve')
}

/** Where the binaries and the cluster of a data folder lie, and who owns them; folders are created. */
export function postgresPlaces(dataDir: string): PostgresPlaces {
  const folder = resolve(dataDir)
  mkdirSync(folder, { recursive: true })
  if (process.getuid?.() !== 0) {
    const own = join(folder, 'postgres')
    mkdirSync(own, { recursive: true, mode: 0o700 })
    return { account: null, binariesParent: own, clusterParent: own }
  }
  const account = unprivilegedAccount()
  const binariesParent = rootFolder(join(SYSTEM_FOLDER, 'binaries'))
  // A folder that `nobody` cannot reach gets a cluster of its own in the system folder, found again by the path.
  const parent = isTraversable(folder)
    ? join(folder, 'postgres')
    : join(
        rootFolder(join(SYSTEM_FOLDER, 'clusters')),
        createHash('sha256').update(folder).digest('hex').slice(0, 16),
      )
  return { account, binariesParent, clusterParent: ownedFolder(parent, account) }
}

/** A folder of mode 700 that belongs to the account. */
export function ownedFolder(path: string, account: Account | null): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (account !== null) chownSync(path, account.uid, account.gid)
  return path
}

/** The name by which the operating system knows us: the one that peer authentication compares. */
export function accountName(): string {
  return userInfo().username
}

// Every folder on the way must let others pass.
function isTraversable(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) return true
  }
}

function rootFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o755 })
  const { uid, mode } = statSync(path)
  if (uid !== 0 || (mode & 0o022) !== 0) {
    throw new Error(
      `${path} must belong to root and be writable by nobody else, or another user could swap the programs in it`,
    )
  }
  return path
}

function unprivilegedAccount(): Account {
  const passwd = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : ''
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody')
  return { uid: Number(fields?.[2] ?? UNPRIVILEGED_ID), gid: Number(fields?.[3] ?? UNPRIVILEGED_ID) }
}
