import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Workspace packages are tested from source: the `source` condition in each package's exports points at src/*.ts.
// `import` and `require` are added by the loader itself: naming `import` here would apply it to require() as well.
const conditions = ['source', 'node']
const soak = process.env['LOADCURVE_SOAK'] === '1'

/** The end-to-end suites take longest. Begun first, they leave no worker idle at the end while one of them goes on. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/tests/end-to-end/')
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: soak
      ? ['{packages,apps}/*/test/**/*.soak.ts', 'tests/**/*.soak.ts']
      : ['{packages,apps}/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
    testTimeout: soak ? 1_800_000 : 30_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    // Two cores: timing suites must not share them with a third worker.
    maxWorkers: 2,
  },
})
