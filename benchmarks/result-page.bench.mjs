// How long does a person wait for the result page of a twelve-level run? The built dashboard in headless Chromium,
// served here with the answers that the API would give; from the address to the last chart. Beside it, the report files.
// Ratios are to the first paint of the same dashboard without a result, in the same run.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runDocument } from '@loadcurve/report/html/run-document'
import { runMarkdown } from '@loadcurve/report/markdown/run-markdown'
import { runCharts } from '@loadcurve/report/run-charts'
import { chromium } from 'playwright-core'
import { twelveLevelReport } from './twelve-levels.mjs'

const ROUNDS = 7
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const dashboard = fileURLToPath(new URL('../apps/web/dist/', import.meta.url))
const executablePath = process.env.LOADCURVE_CHROMIUM ?? '/usr/bin/chromium'

const report = twelveLevelReport()
const json = JSON.stringify(report)
const charts = runCharts(report).length
console.log(`report as JSON  ${(json.length / 1024).toFixed(0).padStart(6)} kB`)
line(
  'HTML report',
  fastest(() => runDocument(report)),
  `${(runDocument(report).length / 1024).toFixed(0)} kB`,
)
line(
  'Markdown report',
  fastest(() => runMarkdown(report)),
  `${(runMarkdown(report).length / 1024).toFixed(0)} kB`,
)
if (existsSync(executablePath)) await browse()
else console.log('Chromium is not installed: the page itself is not timed')

async function browse() {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  const home = mkdtempSync(join(tmpdir(), 'loadcurve-bench-'))
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, HOME: home },
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const emptyMs = await fastestLoad(page, `${url}/nowhere`, () => document.querySelector('h1') !== null)
    const resultMs = await fastestLoad(
      page,
      `${url}/runs/${report.run.id}`,
      (wanted) =>
        document.querySelectorAll('svg.lc-chart').length >= wanted &&
        document.querySelectorAll('[aria-label="Table of levels"] tbody tr').length === 12,
    )
    line('empty page', emptyMs, '')
    line('result page', resultMs, `${charts} charts, ${(resultMs / emptyMs).toFixed(1)} times an empty page`)
  } finally {
    await browser.close()
    server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

async function fastestLoad(page, address, isThere) {
  let fastestMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    await page.goto(address)
    await page.waitForFunction(isThere, charts)
    fastestMs = Math.min(fastestMs, performance.now() - startedAt)
  }
  return fastestMs
}

function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://127.0.0.1')
  const file = join(dashboard, pathname)
  if (pathname.startsWith('/v1/')) return api(pathname, response)
  const isFile = extname(pathname) !== '' && file.startsWith(dashboard) && existsSync(file)
  response.setHeader('content-type', isFile ? (TYPES[extname(file)] ?? '') : 'text/html')
  response.end(readFileSync(isFile ? file : join(dashboard, 'index.html')))
}

function api(pathname, response) {
  if (pathname.endsWith('/events')) {
    const over = { id: 1, event: 'run-finished', data: '{}' }
    const block = Object.entries(over).map(([name, value]) => `${name}: ${value}\n`)
    response.setHeader('content-type', 'text/event-stream')
    return response.end(`${block.join('')}\nevent: end\ndata: {}\n\n`)
  }
  response.setHeader('content-type', 'application/json')
  if (pathname.endsWith('/report')) return response.end(json)
  if (pathname.endsWith('/what-if'))
    return response.end(JSON.stringify({ source: 'draws', recommendation: report.recommendation }))
  if (pathname.startsWith('/v1/runs/')) return response.end(JSON.stringify(report.run))
  return response.end(JSON.stringify({ items: [], nextCursor: null }))
}

function fastest(work) {
  const times = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now()
    work()
    return performance.now() - startedAt
  })
  return Math.min(...times)
}

function line(name, milliseconds, remark) {
  console.log(`${name.padEnd(16)}${milliseconds.toFixed(0).padStart(6)} ms  ${remark}`)
}
