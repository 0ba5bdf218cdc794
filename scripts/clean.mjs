import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.mjs'

for (const group of ['packages', 'apps']) {
  for (const name of readdirSync(join(root, group))) {
    rmSync(join(root, group, name, 'dist'), { recursive: true, force: true })
    rmSync(join(root, group, name, '.turbo'), { recursive: true, force: true })
  }
}
