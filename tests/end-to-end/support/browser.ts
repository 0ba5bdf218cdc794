/** Headless Chromium for tests. Absent: the suites that need it say that they are skipped; in CI that is an error. */
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env['LOADCURVE_CHROMIUM'] ?? '/usr/bin/chromium'

export const chromiumIsInstalled = existsSync(executablePath)
if (!chromiumIsInstalled) {
  if (process.env['CI'] === 'true')
    throw new Error('CI needs chromium: install it, or the dashboard is not tested')
  console.warn('chromium is not installed: the tests of the dashboard are skipped')
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // A closed home folder must not stop it, and it must not call home.
    env: { ...process.env, HOME: mkdtempSync(join(tmpdir(), 'loadcurve-browser-')) },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-sync',
    ],
  })
}
