/** The dashboard's pages as a person meets them: both themes, a phone, a laptop, a wall; and for who cannot see them. */
import { fileURLToPath } from 'node:url'
import { createApiKey } from '@loadcurve/store/api-keys'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testApp } from '../../apps/api/test/support/test-app.ts'
import { exampleReport } from '../../packages/report/test/support/example-report.ts'
import { seriousFaults } from './support/axe.ts'
import { chromiumIsInstalled, openBrowser } from './support/browser.ts'
import { finishedRun } from './support/finished-run.ts'
import { chartsWithoutUnits, layoutFaults, overlaps } from './support/layout.ts'
import { failedRun, runningRun } from './support/live-run.ts'

const dashboardDir = fileURLToPath(new URL('../../apps/web/dist', import.meta.url))
const WIDTHS = [380, 1280, 2560]
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

interface Shown {
  readonly path: string
  /** Something to wait for, or to do, before one looks. */
  readonly prepare?: (page: Page) => Promise<void>
}

const PAGES = [
  'plans',
  'new plan',
  'faulty plan',
  'plan as JSON',
  'plan',
  'edit plan',
  'runs',
  'run',
  'live run',
  'failed run',
  'unknown run',
  'compare',
  'no such page',
  'sign in',
  'refused key',
] as const

describe.skipIf(!chromiumIsInstalled)('dashboard', () => {
  let service: Awaited<ReturnType<typeof testApp>>
  let locked: Awaited<ReturnType<typeof testApp>>
  let browser: Browser
  let url: string
  let shown: Readonly<Record<(typeof PAGES)[number], Shown>>

  beforeAll(async () => {
    const config = { requestsPerMinute: 100_000 }
    service = await testApp({ dashboardDir, config })
    locked = await testApp({ dashboardDir, config })
    await createApiKey(locked.db, 'somebody else’s')
    url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const door = await locked.app.listen({ host: '127.0.0.1', port: 0 })
    const report = exampleReport()
    const first = await finishedRun(service.db, report)
    const second = await finishedRun(service.db, report)
    const live = await runningRun(service.db, report)
    const failed = await failedRun(service.db, report)
    browser = await openBrowser()
    shown = {
      plans: { path: `${url}/plans` },
      'new plan': { path: `${url}/plans/new` },
      'faulty plan': { path: `${url}/plans/new`, prepare: saveFaultyPlan },
      'plan as JSON': {
        path: `${url}/plans/new`,
        prepare: (page) => page.getByRole('button', { name: 'JSON' }).click(),
      },
      plan: { path: `${url}/plans/${first.planId}` },
      'edit plan': { path: `${url}/plans/${first.planId}/edit` },
      runs: { path: `${url}/runs` },
      run: {
        path: `${url}/runs/${first.runId}`,
        prepare: (page) => page.getByRole('heading', { name: 'What the words mean' }).waitFor(),
      },
      'live run': {
        path: `${url}/runs/${live}`,
        prepare: (page) => page.getByText('Measured requests').waitFor(),
      },
      'failed run': { path: `${url}/runs/${failed}` },
      'unknown run': { path: `${url}/runs/${UNKNOWN_ID}`, prepare: seesAlert },
      compare: { path: `${url}/compare?runs=${first.runId},${second.runId}` },
      'no such page': { path: `${url}/nowhere/at/all` },
      'sign in': { path: `${door}/plans` },
      'refused key': { path: `${door}/plans`, prepare: tryWrongKey },
    }
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
    await locked?.close()
  })

  async function open({ path, prepare }: Shown): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
    await page.goto(path)
    await page.locator('main h1, main [role="alert"]').first().waitFor()
    await prepare?.(page)
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
    return page
  }

  test.each(PAGES)(
    'dashboard, %s: nothing overlaps, is cut off or scrolls sideways, and axe finds nothing serious, in both themes',
    async (name) => {
      const page = await open(shown[name])
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme })
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          await settled(page)
          expect(await layoutFaults(page), `${name} at ${width} px`).toEqual([])
          await screenshot(page, `${name.replaceAll(' ', '-')}-${width}-${theme}`)
        }
        expect(await seriousFaults(page), `${name}, ${theme}`).toEqual([])
      }
      expect(await chartsWithoutUnits(page), name).toEqual([])
      await page.close()
    },
    60_000,
  )

  test('dashboard: markup from outside is shown as text, in names, in a step’s words and in an error', async () => {
    const page = await open(shown.run)
    let dialogs = 0
    page.on('dialog', (dialog) => {
      dialogs++
      return dialog.dismiss()
    })
    const main = page.locator('main')
    expect(await page.locator('h1').first().textContent()).toBe('example <script>alert(1)</script> plan')
    expect(await main.textContent()).toContain('the target says: <img src=x onerror="alert(1)"> too busy')
    expect(await page.locator('main script, main img').count()).toBe(0)
    await page.goto(shown['failed run'].path)
    await page.getByText('the target answered <img src=x onerror="alert(1)"> 503').first().waitFor()
    expect(await page.locator('main script, main img').count()).toBe(0)
    // An address is echoed in the problem that answers it.
    await page.goto(`${url}/runs/${encodeURIComponent('<img src=x onerror=alert(1)>')}`)
    await page.getByRole('alert').first().waitFor()
    expect(await page.locator('main script, main img').count()).toBe(0)
    expect(dialogs).toBe(0)
    await page.close()
  })

  test('dashboard: fetches nothing from elsewhere, and weighs under 350 kB compressed', async () => {
    const page = await browser.newPage()
    const asked: string[] = []
    const sizes: ReturnType<Request['sizes']>[] = []
    page.on('request', (request) => void asked.push(request.url()))
    page.on('requestfinished', (request) => void sizes.push(request.sizes()))
    await page.goto(shown.run.path, { waitUntil: 'networkidle' })
    expect(asked.filter((address) => !address.startsWith(url) && !address.startsWith('data:'))).toEqual([])
    const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(350 * 1024)
    await page.close()
  })
})

test('layout: texts of two elements that lie on one another are found, lines of one are not', () => {
  const box = { text: 'a', element: 1, left: 0, right: 50, top: 0, bottom: 20 }
  const over = { ...box, text: 'b', element: 2, left: 40, right: 90 }
  expect(overlaps([box, over])).toEqual(['overlap: "a" and "b"'])
  expect(overlaps([box, { ...over, element: 1 }])).toEqual([])
  expect(overlaps([box, { ...over, left: 51 }])).toEqual([])
  expect(overlaps([box, { ...over, top: 17, bottom: 37 }])).toEqual([])
})

async function saveFaultyPlan(page: Page): Promise<void> {
  await page.getByLabel('Base URL').fill('ftp://nowhere')
  await page.getByLabel('Max requests').fill('many')
  await page.getByRole('button', { name: 'Save plan' }).click()
  await seesAlert(page)
}

async function tryWrongKey(page: Page): Promise<void> {
  await page.getByLabel('API key').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('That key is not known here.').waitFor()
}

const seesAlert = (page: Page): Promise<void> => page.getByRole('alert').first().waitFor()

/** Charts are drawn again when their place changes width: two frames later they are. */
function settled(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  )
}

/** For people: LOADCURVE_SHOTS names a folder to look at, where long pages come in pieces. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['LOADCURVE_SHOTS']
  if (folder === undefined) return
  const { width, height } = await page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    height: document.documentElement.scrollHeight,
  }))
  for (let y = 0; y < height; y += SHOT_PX) {
    const clip = { x: 0, y, width, height: Math.min(SHOT_PX, height - y) }
    await page.screenshot({ path: `${folder}/${name}-${y / SHOT_PX}.png`, fullPage: true, clip })
  }
}
const SHOT_PX = 1600
