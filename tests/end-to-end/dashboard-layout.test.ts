/** The dashboard's pages as a person meets them: both themes, a phone, a laptop, a wall; and for who cannot see them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testApp } from '../../apps/api/test/support/test-app.ts'
import { exampleReport } from '../../packages/report/test/support/example-report.ts'
import { chromiumIsInstalled, openBrowser } from './support/browser.ts'
import { finishedRun } from './support/finished-run.ts'
import { chartsWithoutUnits, layoutFaults } from './support/layout.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const dashboardDir = fileURLToPath(new URL('../../apps/web/dist', import.meta.url))
const WIDTHS = [380, 1280, 2560]

describe.skipIf(!chromiumIsInstalled)('dashboard', () => {
  let service: Awaited<ReturnType<typeof testApp>>
  let browser: Browser
  let url: string
  let pages: Readonly<Record<string, string>>
  beforeAll(async () => {
    service = await testApp({ dashboardDir, config: { requestsPerMinute: 100_000 } })
    url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const report = exampleReport()
    const first = await finishedRun(service.db, report)
    const second = await finishedRun(service.db, report)
    browser = await openBrowser()
    pages = {
      plans: '/plans',
      'new plan': '/plans/new',
      plan: `/plans/${first.planId}`,
      'edit plan': `/plans/${first.planId}/edit`,
      runs: '/runs',
      run: `/runs/${first.runId}`,
      compare: `/compare?runs=${first.runId},${second.runId}`,
    }
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  async function open(path: string, theme: 'light' | 'dark'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: theme })
    await page.goto(url + path, { waitUntil: 'networkidle' })
    await page.locator('h1').first().waitFor()
    return page
  }

  test.each(['light', 'dark'] as const)(
    'dashboard: in the %s theme nothing overlaps, is cut off or scrolls sideways, on a phone, a laptop and a wall',
    async (theme) => {
      for (const [name, path] of Object.entries(pages)) {
        const page = await open(path, theme)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          await settled(page)
          expect(await layoutFaults(page), `${name} at ${width} px`).toEqual([])
          expect(await chartsWithoutUnits(page), name).toEqual([])
          await screenshot(page, `${name.replace(' ', '-')}-${width}-${theme}`)
        }
        await page.close()
      }
    },
    120_000,
  )

  test.each(['light', 'dark'] as const)(
    'dashboard: axe finds nothing serious in the %s theme',
    async (theme) => {
      for (const [name, path] of Object.entries(pages)) {
        const page = await open(path, theme)
        await page.evaluate(axeSource)
        const serious = await page.evaluate(async () => {
          const { violations } = await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run()
          return violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ; ')}`)
        })
        expect(serious, name).toEqual([])
        await page.close()
      }
    },
    120_000,
  )

  test('dashboard: markup in names from outside is shown as text', async () => {
    const page = await open(pages['run'] ?? '', 'light')
    let dialogs = 0
    page.on('dialog', (dialog) => {
      dialogs++
      return dialog.dismiss()
    })
    expect(await page.locator('h1').first().textContent()).toBe('example <script>alert(1)</script> plan')
    expect(await page.locator('main script').count()).toBe(0)
    expect(dialogs).toBe(0)
    await page.close()
  })

  test('dashboard: fetches nothing from elsewhere, and weighs under 350 kB compressed', async () => {
    const page = await browser.newPage()
    const asked: string[] = []
    let bytes = 0
    page.on('request', (request) => void asked.push(request.url()))
    page.on('requestfinished', async (request) => {
      bytes += (await request.sizes()).responseBodySize
    })
    await page.goto(url + (pages['run'] ?? ''), { waitUntil: 'networkidle' })
    expect(asked.filter((address) => !address.startsWith(url) && !address.startsWith('data:'))).toEqual([])
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(350 * 1024)
    await page.close()
  })
})

/** Charts are drawn again when their place changes width: two frames later they are. */
function settled(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  )
}

/** For people: LOADCURVE_SHOTS names a folder to look at. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['LOADCURVE_SHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
