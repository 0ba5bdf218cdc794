// npm run demo: install, build, then `loadcurve demo`.
import { join } from 'node:path'
import { build, install, root, run } from './workspace.mjs'

install()
build()
run(process.execPath, [join(root, 'apps', 'cli', 'bin', 'loadcurve.js'), 'demo', ...process.argv.slice(2)])
