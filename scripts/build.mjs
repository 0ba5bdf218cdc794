import { build, install } from './workspace.mjs'

install()
build()
