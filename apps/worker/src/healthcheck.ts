/** `node dist/healthcheck.js`: ends with 0 when a worker on this host was seen by the database within ten seconds. */
import { hostname } from 'node:os'
import { openDatabase } from '@loadcurve/store/database'
import { connectedWorkers } from '@loadcurve/store/workers'
import { readConfig } from './config.ts'

const { db, close } = openDatabase({
  connectionString: readConfig(process.env).databaseUrl,
  connectionsMax: 1,
  onError: () => {},
})
try {
  const workers = await connectedWorkers(db)
  process.exitCode = workers.some(({ host }) => host === hostname()) ? 0 : 1
} catch {
  process.exitCode = 1
} finally {
  await close()
}
