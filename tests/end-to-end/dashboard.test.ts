/**
 * The dashboard's whole story, told once in a real browser against the real service: a plan is written, run, watched
 * through a crash of the API, read, asked what-if, compared, downloaded and scheduled; and at each form something wrong
 * is tried first. The tests follow one another: each begins where the one before it ended.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepResource } from '@loadcurve/core/run/resources'
import { intervalText, numberText, unitText } from '@loadcurve/report/format'
import type { RunReport } from '@loadcurve/report/run-report'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumIsInstalled, openBrowser } from './support/browser.ts'
import { answeredRun, crashApi, field, fieldId, moneyOf, startRun } from './support/dashboard.ts'
import { API, startProcess } from './support/processes.ts'
import { ServiceUnderTest } from './support/service.ts'

const KEY = 'a-key-that-is-long-enough'

describe.skipIf(!chromiumIsInstalled)('dashboard', () => {
  let service: ServiceUnderTest
  let browser: Browser
  let page: Page
  let planPath: string
  let runId: string
  const downloads = mkdtempSync(join(tmpdir(), 'loadcurve-downloads-'))

  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      queue: 'postgres',
      workers: 1,
      simulator: { preset: 'small' },
      env: { LOADCURVE_REQUESTS_PER_MINUTE: '100000' },
    })
    browser = await openBrowser()
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.setDefaultTimeout(20_000)
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    rmSync(downloads, { recursive: true, force: true })
  })

  const recommendation = async (id: string): Promise<Recommendation> =>
    (await (await fetch(`${service.url}/v1/runs/${id}/recommendation`)).json()) as Recommendation
  /** Concurrencies that a run measured and its gates let through: a busy machine may cost one or the other. */
  const usableLevels = async (id: string): Promise<(number | null)[]> => {
    const { items } = (await (await fetch(`${service.url}/v1/runs/${id}/steps`)).json()) as {
      items: readonly StepResource[]
    }
    const refusals = (summary: unknown) => (summary as StepSummary | null)?.refusals ?? ['not measured']
    return items
      .filter(({ excluded, summary }) => excluded === null && refusals(summary).length === 0)
      .map(({ level }) => level.concurrency)
  }
  /** The answer that a card shows under a name, its value and its notes. */
  const answer = (card: string, name: string | RegExp) =>
    page.locator(`section[aria-labelledby="${card}"] .answer > div`).filter({ hasText: name })

  test('a plan: what is wrong stands beside its field, all of it, until it is mended', async () => {
    await page.goto(`${service.url}/plans`)
    await page.getByRole('link', { name: 'New plan' }).click()
    await field(page, 'target.baseUrl').fill('http://169.254.169.254/v1')
    await field(page, 'workload.inputTokens.mean').fill('lots')
    await field(page, 'slo[1].maxMs').fill('-3')
    await page.getByRole('button', { name: 'Save plan' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('things to mend').waitFor()
    for (const path of [
      'name',
      'target.baseUrl',
      'target.model',
      'workload.inputTokens.mean',
      'slo[1].maxMs',
    ]) {
      await page
        .locator(`#${fieldId(path)}-errors .violation`)
        .first()
        .waitFor()
      expect(await field(page, path).getAttribute('aria-invalid'), path).toBe('true')
      expect(await alert.locator('code').allTextContents()).toContain(path)
    }
    expect(new URL(page.url()).pathname).toBe('/plans/new')
  })

  test('a plan: is written in the form, and stored as it was written', async () => {
    const texts = {
      name: 'quick <b>plan</b>',
      'target.baseUrl': `${service.simulatorUrl}/v1`,
      'target.model': 'sim/small',
      'workload.inputTokens.mean': '4000',
      'workload.outputTokens.mean': '24',
      'workload.outputTokens.stdev': '3',
      'sweep.concurrency': '1, 2, 3, 4, 6, 8',
      'slo[0].maxMs': '2000',
      'slo[1].percentile': 'mean',
      'slo[1].maxMs': '60',
      'demand.peakRequestsPerS': '20',
      'hardware.pricePerGpuHour': '2.5',
    }
    for (const [path, text] of Object.entries(texts)) await field(page, path).fill(text)
    await field(page, 'sweep.verify').selectOption('false')
    await page.getByText(/^More: order/).click()
    const step = {
      minDurationS: '3',
      maxDurationS: '20',
      minRequests: '30',
      residences: '3',
      maxWarmupS: '2',
    }
    for (const [name, text] of Object.entries(step)) await field(page, `sweep.step.${name}`).fill(text)
    await field(page, 'sweep.step.extend').selectOption('false')
    await page.getByText(/^A run would send about [\d,]+ requests/).waitFor()
    await page.getByRole('button', { name: 'Save plan' }).click()
    await page.waitForURL(/\/plans\/[0-9a-f-]{36}$/)
    expect(await page.locator('h1').textContent()).toBe('quick <b>plan</b>')
    planPath = new URL(page.url()).pathname
    const stored = (await (await fetch(`${service.url}/v1${planPath}`)).json()) as { plan: unknown }
    expect(stored.plan).toMatchObject({
      workload: { inputTokens: { mean: 4000 }, outputTokens: { mean: 24, stdev: 3 } },
      sweep: { concurrency: [1, 2, 3, 4, 6, 8], verify: false, step: { minRequests: 30, extend: false } },
      slo: [{ maxMs: 2000 }, { metric: 'tpot', percentile: 'mean', maxMs: 60 }],
    })
  })

  test('a run: is watched live, through a crash of the API, to its recommendation', async () => {
    const first = await startRun(page)
    await page.getByText('Measured requests').waitFor({ timeout: 60_000 })
    for (const name of ['Throughput', 'TTFT p50', 'TPOT p50', 'Generator lag p99']) {
      const figure = page.locator('.answer > div').filter({ hasText: name }).locator('dd')
      await expect.poll(() => figure.textContent(), { timeout: 30_000 }).toMatch(/^\d/)
    }
    await crashApi(service, async () => {
      await page.getByText('The connection is lost; trying again.').waitFor()
    })
    await page.getByText('The connection is lost; trying again.').waitFor({ state: 'detached' })
    runId = await answeredRun(page, first, { url: service.url, planPath })
    expect(await page.locator('h1 + p .verdict').textContent()).toBe('finished')
  }, 600_000)

  test('a result: the card says what the API says', async () => {
    const { verdict, batch, openLoop, fleet, reasons } = await recommendation(runId)
    expect(verdict, `${reasons}`).toBe('recommended')
    const text = (name: RegExp) => answer('recommendation', name).textContent()
    expect(await text(/^Batch size/)).toContain(numberText(batch.recommended))
    expect(await text(/^Batch size/)).toContain(intervalText(batch.interval))
    expect(await text(/^Load per replica/)).toContain(unitText(openLoop?.maxRequestsPerS, 'req/s'))
    expect(await text(/^GPUs to buy/)).toContain(numberText(fleet?.gpus))
    expect(await page.locator('svg.lc-chart').count()).toBeGreaterThanOrEqual(8)
    // What each level measured, for whoever checks.
    expect(await page.getByRole('region', { name: 'Table of levels' }).locator('tbody tr').count()).toBe(7)
  })

  test('what if: a slider moved by key asks anew, and the simulated answer follows the instant one', async () => {
    const price = page.getByLabel('Price of a GPU')
    const cost = answer('what-if', /^Cost at peak/).locator('dd')
    await expect.poll(() => cost.textContent(), { timeout: 30_000 }).toContain('$')
    await page.getByText('simulated', { exact: true }).waitFor({ timeout: 60_000 })
    const before = moneyOf(await cost.textContent())
    const asked = page.waitForRequest((request) => request.url().endsWith('/what-if'))
    await price.focus()
    await page.keyboard.press('End')
    expect((await asked).postDataJSON()).toMatchObject({ pricePerGpuHour: 25, simulate: false })
    // Ten times the price of each GPU, and as many of them: ten times the cost. Cents are rounded.
    await expect
      .poll(async () => moneyOf(await cost.textContent()) / before, { timeout: 30_000 })
      .toBeCloseTo(10, 0)
    await page.getByText('simulated', { exact: true }).waitFor({ timeout: 60_000 })
    const tpot = page.getByLabel('mean TPOT under')
    await tpot.focus()
    await page.keyboard.press('Home')
    // A tenth of the promise is below what a lone request takes.
    await page
      .locator('section[aria-labelledby="what-if"]')
      .getByText(/infeasible|inconclusive/)
      .waitFor()
    await page.getByRole('button', { name: 'Back to the plan' }).click()
    await expect.poll(async () => moneyOf(await cost.textContent()), { timeout: 30_000 }).toBe(before)
  }, 120_000)

  test('a report: opens from the disk without a network, and says what the API says', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download Report' }).click(),
    ])
    const file = join(downloads, download.suggestedFilename())
    await download.saveAs(file)
    const context = await browser.newContext({ offline: true })
    const reader = await context.newPage()
    const asked: string[] = []
    reader.on('request', (request) => void asked.push(request.url()))
    await reader.goto(pathToFileURL(file).href)
    expect(asked).toEqual([pathToFileURL(file).href])
    const report = (await (
      await fetch(`${service.url}/v1/runs/${runId}/report?format=json`)
    ).json()) as RunReport
    const { batch, fleet } = await recommendation(runId)
    expect(report.recommendation).toEqual(await recommendation(runId))
    expect(await reader.locator('h1').textContent()).toBe('quick <b>plan</b>')
    const card = (await reader.locator('section[aria-labelledby="recommendation"]').textContent()) ?? ''
    expect(card).toContain(`Batch size (max_num_seqs)${numberText(batch.recommended)}`)
    expect(card).toContain(`GPUs to buy${numberText(fleet?.gpus)}`)
    const rows = await reader.locator('[aria-label="Table of levels"] tbody tr').allTextContents()
    expect(rows).toHaveLength(report.steps.length)
    for (const [place, { summary }] of report.steps.entries()) {
      for (const figure of [
        summary?.outputTokensPerS,
        summary?.concurrency.achieved,
        summary?.requestsPerS,
      ]) {
        expect(rows[place]).toContain(numberText(figure))
      }
    }
    await context.close()
  })

  test('a comparison: needs two runs, and shows both', async () => {
    await page.goto(`${service.url}/compare?runs=${runId}`)
    await page.getByText('Choose two of them').waitFor()
    const client = service.client()
    const second = await client.startRun(planPath.split('/').at(-1) ?? '')
    await page.goto(`${service.url}/runs/${second.id}`)
    const first = await usableLevels(runId)
    const inBoth = async () => (await usableLevels(second.id)).filter((level) => first.includes(level)).length
    await expect.poll(inBoth, { timeout: 120_000, interval: 200 }).toBeGreaterThanOrEqual(1)
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await expect
      .poll(() => page.locator('h1 + p .verdict').textContent(), { timeout: 30_000 })
      .toBe('cancelled')
    await page.goto(`${service.url}/runs`)
    const compare = page.getByRole('button', { name: 'Compare two runs' })
    expect(await compare.isDisabled()).toBe(true)
    for (const id of [runId, second.id]) {
      const row = page.getByRole('row').filter({ has: page.locator(`a[href="/runs/${id}"]`) })
      await row.getByRole('checkbox').check()
    }
    await compare.click()
    const rows = page.locator('section[aria-label="What each recommends"] tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    const texts = await rows.allTextContents()
    const { batch } = await recommendation(runId)
    expect(texts.some((text) => text.includes(`recommended${numberText(batch.recommended)}`))).toBe(true)
    expect(texts.some((text) => text.includes('cancelled'))).toBe(true)
    // One step at least was measured well by both, with four figures.
    const figures = page.locator('section[aria-label="Level by level"] tbody tr')
    await expect.poll(() => figures.count(), { timeout: 10_000 }).toBeGreaterThanOrEqual(4)
    expect((await figures.allTextContents()).every((text) => /same|better|worse|unknown/.test(text))).toBe(
      true,
    )
  }, 180_000)

  test('a schedule: is refused with its reason, set, shown with its next runs, and deleted', async () => {
    await page.goto(service.url + planPath)
    await page.getByLabel('Cron').fill('61 2 * * *')
    await page.getByLabel('Time zone').fill('Mars/Olympus')
    await page.getByRole('button', { name: 'Set the schedule' }).click()
    for (const id of ['cron', 'time-zone']) {
      await expect.poll(() => page.locator(`#${id}-error`).textContent()).not.toBe('')
      expect(await page.locator(`#${id}`).getAttribute('aria-invalid')).toBe('true')
    }
    await page.getByLabel('Cron').fill('30 2 * * *')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByRole('button', { name: 'Set the schedule' }).click()
    await page.getByRole('heading', { name: 'Next runs' }).waitFor()
    expect(await page.locator('section[aria-labelledby="schedule"] ol li').count()).toBe(5)
    await page.getByRole('button', { name: 'Delete the schedule' }).click()
    await page.getByRole('button', { name: 'Set the schedule' }).waitFor()
    expect((await fetch(`${service.url}/v1${planPath}/schedule`)).status).toBe(404)
  })

  test('a key: a service that has one asks for it, refuses a wrong one, and forgets it at sign-out', async () => {
    const locked = await startProcess(API, { env: { ...service.env, LOADCURVE_API_KEYS: KEY } })
    try {
      await page.goto(`${locked.url}/plans`)
      await page.getByLabel('API key').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('That key is not known here.').waitFor()
      await page.getByLabel('API key').fill(KEY)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'quick <b>plan</b>' }).waitFor()
      // A download carries the key as well.
      await page.goto(`${locked.url}/runs/${runId}`)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download JSON' }).click(),
      ])
      expect(download.suggestedFilename()).toBe(`loadcurve-${runId}.json`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('API key').waitFor()
    } finally {
      await locked.stop()
    }
  })
})
