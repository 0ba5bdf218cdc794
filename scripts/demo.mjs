// npm run demo: install, build, then fit the table of a real engine that was measured for this project.
import { join } from 'node:path'
import { build, install, root, run } from './workspace.mjs'

install()
build()
const table = join(root, 'examples', 'tables', 'llama-44m-cpu-8-slots.csv')
const loadcurve = join(root, 'apps', 'cli', 'bin', 'loadcurve.js')
run(process.execPath, [loadcurve, 'fit', table, '--slo', 'tpot:p95<30', ...process.argv.slice(2)])
