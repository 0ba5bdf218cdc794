// A simulated server in a process of its own, as its clients meet it. Runs from dist: Node 20 reads no TypeScript.
import { startSimulator } from '../../dist/http-server/server.js'

process.once('message', async (options) => {
  const sim = await startSimulator(options)
  process.send?.({ port: sim.port, url: sim.url })
})
process.on('disconnect', () => process.exit(0))
