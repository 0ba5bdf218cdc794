/**
 * What a person would see at once and a unit test would not: texts that overlap, that are cut off, pages that scroll
 * sideways. The page only tells where its texts are; what is wrong with that is decided here.
 */
import type { Page } from 'playwright-core'

interface TextBox {
  readonly text: string
  /** Which element it belongs to: lines of one paragraph may touch. */
  readonly element: number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Faults of the page as it stands, in words; empty when there are none. */
export async function layoutFaults(page: Page): Promise<string[]> {
  const boxes = await page.evaluate(textBoxes)
  const { widthPx, scrollWidthPx, clipped } = await page.evaluate(pageWidths)
  return [
    ...(scrollWidthPx > widthPx + 1 ? [`the page scrolls sideways: ${scrollWidthPx} > ${widthPx}`] : []),
    ...boxes
      .filter(({ left, right }) => right > widthPx + 1 || left < -1)
      .map(({ text }) => `cut off at the side: "${text}"`),
    ...overlaps(boxes),
    ...clipped.map((text) => `clipped: "${text}"`),
  ]
}

/** Pairs of texts of different elements that lie on one another. */
export function overlaps(boxes: readonly TextBox[]): string[] {
  const sorted = boxes.toSorted((one, other) => one.top - other.top)
  return sorted.flatMap((one, index) => {
    const faults: string[] = []
    for (const other of sorted.slice(index + 1)) {
      if (other.top > one.bottom) break
      if (one.element !== other.element && covers(one, other)) {
        faults.push(`overlap: "${one.text.slice(0, 60)}" and "${other.text.slice(0, 60)}"`)
      }
    }
    return faults
  })
}

// Line boxes are taller than their letters: a sliver of overlap touches nothing.
function covers(one: TextBox, other: TextBox): boolean {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return width > 2 && height > 0.3 * Math.min(one.bottom - one.top, other.bottom - other.top)
}

/** Runs in the page: every line of text that is shown. Of one in a scrolling region, the part that is in sight. */
function textBoxes(): TextBox[] {
  const elements = new Map<Element, number>()
  const boxes: TextBox[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent?.trim() ?? ''
    const element = node.parentElement
    if (text === '' || element === null) continue
    if (element.closest('style, script, option, .visually-hidden, .skip') !== null) continue
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    if (!elements.has(element)) elements.set(element, elements.size)
    const region = element.closest('.scroll, pre')?.getBoundingClientRect()
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const from = Math.max(left, region?.left ?? left)
      const to = Math.min(right, region?.right ?? right)
      if (to - from <= 1 || bottom - top <= 1) continue
      boxes.push({ text, element: elements.get(element) ?? -1, left: from, right: to, top, bottom })
    }
  }
  return boxes
}

/** Runs in the page. */
function pageWidths(): { widthPx: number; scrollWidthPx: number; clipped: string[] } {
  const { clientWidth, scrollWidth } = document.documentElement
  const clipped = [...document.querySelectorAll('button, .button, label, th, td, dd, dt, legend, summary')]
    .filter((element) => {
      if (element.closest('.scroll, .visually-hidden') !== null) return false
      const { display, overflowX } = getComputedStyle(element)
      return element.scrollWidth > element.clientWidth + 1 && display !== 'inline' && overflowX === 'hidden'
    })
    .map((element) => element.textContent?.trim().slice(0, 60) ?? '')
  return { widthPx: clientWidth, scrollWidthPx: scrollWidth, clipped }
}

/** Charts whose axes carry no unit, by their description. */
export function chartsWithoutUnits(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('svg.lc-chart')].flatMap((chart) => {
      const axes = [...chart.querySelectorAll('[data-part$="axis label"]')].map(
        (axis) => axis.textContent ?? '',
      )
      const good = axes.length === 2 && axes.every((axis) => /\(.+\)|tokens\/s/.test(axis))
      return good ? [] : [`${chart.getAttribute('aria-label')}: ${axes.join(' | ')}`]
    }),
  )
}
