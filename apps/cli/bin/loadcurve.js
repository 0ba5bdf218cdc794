#!/usr/bin/env node
// Plain JavaScript on purpose: npm links this file when it installs, before anything has been built.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../dist/main.js', import.meta.url)
if (!existsSync(fileURLToPath(main))) {
  console.error('loadcurve is not built yet. Run "npm run build" in the root of the clone first.')
  process.exit(2)
}
await import(main.href)
