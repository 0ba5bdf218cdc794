// npm test: install, build (forked entry points and end-to-end tests run from dist), check types and style, test.
// `npm test -- packages/core` passes the rest of the line to vitest.
import { build, install, run, tool } from './workspace.mjs'

const args = process.argv.slice(2)
const soak = args.includes('--soak')
const filters = args.filter((argument) => argument !== '--soak')

install()
build()
if (filters.length === 0 && !soak) {
  run(tool('biome'), ['check', '.'])
  run(tool('tsc'), ['-p', 'tsconfig.tests.json'])
}
run(tool('vitest'), ['run', ...filters], { env: soak ? { LOADCURVE_SOAK: '1' } : {} })
