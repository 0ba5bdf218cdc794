/** Calamities at seeded moments: three of them here, twenty in chaos.soak.ts. */
import { test } from 'vitest'
import { surviveCalamity } from './support/chaos.ts'
import { hasProcessTable } from './support/processes.ts'

test.runIf(hasProcessTable)(
  'chaos: a run survives kill -9 of its conductor',
  () => surviveCalamity('conductor', 1),
  120_000,
)

test.runIf(hasProcessTable)(
  'chaos: a run survives kill -9 of a load process',
  () => surviveCalamity('load-process', 2),
  120_000,
)

test.runIf(hasProcessTable)(
  'chaos: a run survives a restart of Postgres',
  () => surviveCalamity('postgres', 3),
  120_000,
)
