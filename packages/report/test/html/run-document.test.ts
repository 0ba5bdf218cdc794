import { readFileSync, writeFileSync } from 'node:fs'
import { runDocument } from '@loadcurve/report/html/run-document'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { numberText } from '../../src/format.ts'
import { exampleReport } from '../support/example-report.ts'
import { skeleton } from '../support/skeleton.ts'

const golden = new URL('../golden/run-html.txt', import.meta.url)

const report = exampleReport()
const html = runDocument(report)
const { document } = parseHTML(html)
const textOf = (selector: string) =>
  [...document.querySelectorAll(selector)].map((element) => element.textContent ?? '')

test('run document: says the recommendation with its interval and what limits it', () => {
  const card = textOf('section.card')[0] ?? ''
  expect(report.recommendation?.verdict).toBe('recommended')
  expect(card).toContain('Recommended')
  expect(card).toContain(`Batch size (max_num_seqs)${report.recommendation?.batch.recommended}`)
  expect(card).toContain('limited by the promise on p95 TPOT')
})

test('run document: every level stands in the table with its own figures', () => {
  const rows = [...document.querySelectorAll('[aria-label="Table of levels"] tbody tr')]
  expect(rows).toHaveLength(report.steps.length)
  for (const [index, step] of report.steps.entries()) {
    const cells = rows[index]?.textContent ?? ''
    expect(cells).toContain(numberText(step.summary?.outputTokensPerS))
    expect(cells).toContain(numberText(step.summary?.concurrency.achieved))
  }
})

test('run document: is one file without scripts, and fetches nothing', () => {
  expect(document.querySelectorAll('script, link, img, iframe, object, embed')).toHaveLength(0)
  expect(html).not.toMatch(/(src|href)="http/)
  expect(html).not.toMatch(/url\(http/)
  expect(html).not.toMatch(/@import/)
})

test('run document: markup in names from outside is shown as text', () => {
  expect(document.querySelector('h1')?.textContent).toBe('example <script>alert(1)</script> plan')
  expect(html).not.toContain('<script')
  expect(html).toContain('model &amp; &quot;quotes&quot;')
})

test('run document: has the charts of the run, each with a description and a unit on every axis', () => {
  const charts = [...document.querySelectorAll('figure svg')]
  expect(charts.length).toBeGreaterThanOrEqual(6)
  for (const chart of charts) {
    const label = chart.getAttribute('aria-label') ?? ''
    expect(label.length).toBeGreaterThan(30)
    const axes = [...chart.querySelectorAll('[data-part$="axis label"]')].map(
      (axis) => axis.textContent ?? '',
    )
    expect(axes, label).toHaveLength(2)
    for (const axis of axes) expect(axis).toMatch(/\(.+\)|tokens\/s/)
  }
})

test('run document: what a target said is shown as text, beside the step that it failed', () => {
  const failures = textOf('[aria-label="Table of failures"] tbody tr')
  expect(failures).toHaveLength(1)
  expect(failures[0]).toContain('the target says: <img src=x onerror="alert(1)"> too busy')
  expect(document.querySelectorAll('img')).toHaveLength(0)
})

test('run document: predictions stand beside what was measured', () => {
  const rows = textOf('[aria-label="Table of predictions beside measurements"] tbody tr')
  const verified = report.recommendation?.openLoop?.predicted?.ttftMs.p95
  expect(rows.find((row) => row.startsWith('TTFT at 5 req/s, p95'))).toContain(numberText(verified))
  const heldOut = report.recommendation?.fit?.levels.find(({ excluded }) => excluded === 'held-out')
  expect(rows.find((row) => row.startsWith('TPOT held out, 8 in flight'))).toContain(
    numberText(heldOut?.predictedTpotMs),
  )
})

test('run document: names the fleet and what it costs at each load', () => {
  const fleet = report.recommendation?.fleet
  const cells = textOf('[aria-label="Cost per million tokens"] tbody tr')[0] ?? ''
  const { atCapacity, atPeak, atMean } = fleet?.costPerMillionOutputTokens ?? {}
  for (const cost of [atCapacity, atPeak, atMean]) expect(cells).toContain(`$${numberText(cost)}`)
})

test('run document: is the golden text', () => {
  // LOADCURVE_GOLDEN=1 writes it anew; read the difference before you commit it.
  if (process.env['LOADCURVE_GOLDEN'] === '1') writeFileSync(golden, skeleton(document))
  expect(skeleton(document)).toBe(readFileSync(golden, 'utf8'))
})

test('run document: a run without a recommendation says why', () => {
  const run = {
    ...report.run,
    state: 'failed' as const,
    reason: 'target-unreachable',
    message: 'Nobody listens there.',
  }
  const failed = runDocument({ ...report, run, recommendation: null, steps: [] })
  expect(failed).toContain('No recommendation')
  expect(failed).toContain('Nobody listens there.')
})

test('run document: stays small enough to mail', () => {
  expect(html.length).toBeLessThan(400_000)
})
