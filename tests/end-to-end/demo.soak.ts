/** `npm run demo`, to its end, and everything it says held against what the simulated server really did. */
import { rmSync } from 'node:fs'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { RunResource } from '@loadcurve/core/run/resources'
import { expect, test } from 'vitest'
import { dataFolder, loadcurve } from './support/command.ts'
import { differences, realisedSteps } from './support/realised.ts'

/** The batch at which the decode slots are full, and everything else. */
const SATURATION_MAX = 0.03
const DIFFERENCE_MAX = 0.05

test('demo: saturation, batch, throughput and TPOT are those that the server realised, and the promise is kept', async () => {
  const dataDir = dataFolder()
  const demo = loadcurve(['demo'], dataDir)
  try {
    await expect.poll(demo.output, { timeout: 600_000, interval: 500 }).toContain('The dashboard stays at')
    const url = /Dashboard: (\S+)/.exec(demo.output())?.[1] ?? ''
    const run = await onlyRun(url)
    expect(run).toMatchObject({ state: 'finished', reason: 'sweep-complete' })
    const simulatorUrl = (run.plan as { target: { baseUrl: string } }).target.baseUrl.replace(/\/v1$/, '')
    const steps = await realisedSteps(url, simulatorUrl, run.id)
    expect(steps.length).toBeGreaterThanOrEqual(8)
    for (const step of steps) {
      const apart = differences(step)
      const { purpose, level } = step.step
      const percent = Object.entries(apart).map(([name, part]) => `${name} ${(100 * part).toFixed(2)} %`)
      console.log(`${purpose} ${level.concurrency ?? level.ratePerS}: ${percent.join(', ')}`)
      for (const part of Object.values(apart)) expect(Math.abs(part)).toBeLessThan(DIFFERENCE_MAX)
    }
    const answer = (await (await fetch(`${url}/v1/runs/${run.id}/recommendation`)).json()) as Recommendation
    expect(answer.verdict).toBe('recommended')
    const fullest = Math.max(...steps.map(({ realised }) => realised.decodeBatchMean ?? 0))
    console.log(
      `saturation ${answer.batch.saturation?.decodeBatch}, realised ${fullest}; verified: ${answer.openLoop?.verified?.verdict}`,
    )
    expect(Math.abs((answer.batch.saturation?.decodeBatch ?? 0) / fullest - 1)).toBeLessThan(SATURATION_MAX)
    expect(['met', 'undecided']).toContain(answer.openLoop?.verified?.verdict)
  } finally {
    demo.child.kill('SIGINT')
    await demo.exitCode()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

async function onlyRun(url: string): Promise<RunResource> {
  const { items } = (await (await fetch(`${url}/v1/runs`)).json()) as { items: RunResource[] }
  const [run] = items
  if (run === undefined) throw new Error('the demo has no run')
  return run
}
