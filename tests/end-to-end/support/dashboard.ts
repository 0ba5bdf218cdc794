/** What the tests of the dashboard do to a page, and to the service behind it. */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ServiceUnderTest } from './service.ts'

/** The id of the plan form's control for a path of the plan. */
export const fieldId = (path: string): string => `field-${path.replace(/[^A-Za-z0-9]+/g, '-')}`
export const field = (page: Page, path: string): Locator => page.locator(`#${fieldId(path)}`)

export function moneyOf(text: string | null): number {
  return Number(/\$([\d.,]+)/.exec(text ?? '')?.[1]?.replaceAll(',', ''))
}

/** Starts a run from the page of a plan; its id. */
export async function startRun(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Start a run' }).click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

/**
 * Waits for the answer of the run on the page. On a machine that has other work, a generator finds itself too late and
 * keeps its steps out of the fit, as it should; such a run says nothing about the dashboard, and is asked for again.
 */
export async function answeredRun(
  page: Page,
  runId: string,
  { url, planPath, again = 3 }: { url: string; planPath: string; again?: number },
): Promise<string> {
  await expect.poll(() => page.locator('h1 + p .verdict').textContent(), RUN_WAIT).toBe('finished')
  await page.getByRole('heading', { name: /^Recommendation/ }).waitFor()
  const response = await fetch(`${url}/v1/runs/${runId}/recommendation`)
  const { verdict, reasons } = (await response.json()) as Recommendation
  const isTooLate = verdict !== 'recommended' && reasons.includes('generator-unhealthy')
  if (again === 0 || !isTooLate) return runId
  await page.goto(url + planPath)
  return answeredRun(page, await startRun(page), { url, planPath, again: again - 1 })
}

const RUN_WAIT = { timeout: 180_000 }

/** Kills the API, lets the test look, and starts it again at the same address. */
export async function crashApi(service: ServiceUnderTest, meanwhile: () => Promise<void>): Promise<void> {
  const [api] = service.apis
  if (api === undefined) throw new Error('no API is running')
  const { port } = new URL(service.url)
  await api.kill()
  await meanwhile()
  service.forget(api)
  await service.startApi(port)
}
