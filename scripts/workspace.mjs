// What every npm script of the root shares: run a command, install when needed, build when needed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const environment = {
  ...process.env,
  // A build must not write to, or wait for, anything outside the clone.
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
}

/** Runs a command in the root and ends this process with its code when it fails. */
export function run(command, args, { env = {} } = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...environment, ...env } })
  if (result.error) {
    console.error(`could not start ${command}: ${result.error.message}`)
    process.exit(1)
  }
  if (result.status !== 0) process.exit(result.status ?? 1)
}

/** The path of a tool that a development dependency brought. */
export const tool = (name) => join(root, 'node_modules', '.bin', name)

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Loadcurve needs Node 20.19 or newer, this is ${process.versions.node}.`)
  process.exit(2)
}

/** `npm ci` when node_modules is missing or older than the lock file. */
export function install() {
  requireNode()
  const marker = join(root, 'node_modules', '.package-lock.json')
  const lock = join(root, 'package-lock.json')
  if (existsSync(marker) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs) return
  if (existsSync(marker) && sameDependencies(marker, lock)) return
  console.log('Installing dependencies (npm ci) ...')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
}

// A checkout touches the lock file without changing it: compare versions before paying for a new install.
function sameDependencies(marker, lock) {
  const installed = JSON.parse(readFileSync(marker, 'utf8')).packages
  const wanted = JSON.parse(readFileSync(lock, 'utf8')).packages
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      !path.startsWith('node_modules/') ||
      entry.link ||
      installed[path]?.version === entry.version,
  )
}

export function build() {
  run(tool('turbo'), ['run', 'build', '--output-logs=errors-only', '--log-order=grouped'])
}
