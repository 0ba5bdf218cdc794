/** The command line as a person starts it, with a data folder of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../../apps/cli/bin/loadcurve.js', import.meta.url))

/** Passable for others: as root, Postgres runs as another user. */
export function dataFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'loadcurve-cli-'))
  chmodSync(path, 0o711)
  return path
}

export function loadcurve(args: readonly string[], dataDir: string) {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: dataDir,
      LOADCURVE_DATA_DIR: dataDir,
      LOADCURVE_PORT: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
  const exited = once(child, 'exit')
  return { child, output: () => output.join(''), exitCode: async () => (await exited)[0] as number | null }
}
