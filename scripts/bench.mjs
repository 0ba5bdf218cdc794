// npm run bench [-- name ...]: runs benchmarks/<name>.bench.mjs one after another, from dist, and prints ratios.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, install, root, run } from './workspace.mjs'

install()
build()
const wanted = process.argv.slice(2)
const names = readdirSync(join(root, 'benchmarks'))
  .filter((file) => file.endsWith('.bench.mjs'))
  .map((file) => file.replace('.bench.mjs', ''))
for (const name of wanted.length > 0 ? wanted : names) {
  if (!names.includes(name)) {
    console.error(`There is no benchmark "${name}". Choose from: ${names.join(', ')}`)
    process.exit(2)
  }
  console.log(`\n== ${name} ==`)
  run(process.execPath, [join(root, 'benchmarks', `${name}.bench.mjs`)])
}
