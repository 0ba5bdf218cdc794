import { readFileSync, writeFileSync } from 'node:fs'
import { runMarkdown } from '@loadcurve/report/markdown/run-markdown'
import { expect, test } from 'vitest'
import { numberText } from '../../src/format.ts'
import { exampleReport } from '../support/example-report.ts'

const report = exampleReport()
const golden = new URL('../golden/run.md', import.meta.url)

test('run markdown: is the golden text', () => {
  const text = runMarkdown(report)
  // LOADCURVE_GOLDEN=1 writes it anew; read the difference before you commit it.
  if (process.env['LOADCURVE_GOLDEN'] === '1') writeFileSync(golden, text)
  expect(text).toBe(readFileSync(golden, 'utf8'))
})

test('run markdown: has the same figures as the document it is made of', () => {
  const text = runMarkdown(report)
  expect(text).toContain(`| ${report.recommendation?.batch.recommended} |`)
  for (const { summary } of report.steps) expect(text).toContain(numberText(summary?.requestsPerS))
})

test('run markdown: markup in names from outside stays text on its line', () => {
  const run = { ...report.run, planName: 'a | b\n# <b>c</b> `d`' }
  const [title] = runMarkdown({ ...report, run }).split('\n')
  expect(title).toBe('# a \\| b \\# \\<b\\>c\\</b\\> \\`d\\`')
})
