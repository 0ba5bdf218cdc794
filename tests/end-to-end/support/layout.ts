/** What a person would see at once and a unit test would not: texts that overlap, that are cut off, pages that scroll sideways. */
import type { Page } from 'playwright-core'

/** Faults of the page as it stands, in words; empty when there are none. */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth + 1)
      faults.push(`the page scrolls sideways: ${root.scrollWidth} > ${root.clientWidth}`)

    interface Box {
      readonly text: string
      readonly rect: DOMRect
      readonly element: Element
    }
    const isShown = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.closest('.visually-hidden, .skip') === null
    const boxes: Box[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? ''
      const element = node.parentElement
      if (
        text === '' ||
        element === null ||
        !isShown(element) ||
        element.closest('style, script, option') !== null
      )
        continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const rect of range.getClientRects())
        if (rect.width > 1 && rect.height > 1) boxes.push({ text, rect, element })
    }

    // What a scrolling region hides is reachable by scrolling; it can neither overlap nor be cut.
    const visiblePart = ({ rect, element }: Box) => {
      const region = element.closest('.scroll, pre')?.getBoundingClientRect()
      if (region === undefined) return rect
      const left = Math.max(rect.left, region.left)
      const right = Math.min(rect.right, region.right)
      return right > left ? new DOMRect(left, rect.top, right - left, rect.height) : null
    }
    const parts = boxes.map((box) => ({ ...box, part: visiblePart(box) }))
    for (const [index, one] of parts.entries()) {
      if (one.part === null) continue
      if (one.part.right > root.clientWidth + 1 || one.part.left < -1)
        faults.push(`cut off at the side: "${one.text}"`)
      for (const other of parts.slice(index + 1)) {
        if (other.part === null || one.element === other.element) continue
        const width = Math.min(one.part.right, other.part.right) - Math.max(one.part.left, other.part.left)
        const height = Math.min(one.part.bottom, other.part.bottom) - Math.max(one.part.top, other.part.top)
        // Line boxes are taller than their letters: a sliver of overlap touches nothing.
        if (width > 2 && height > 0.3 * Math.min(one.part.height, other.part.height)) {
          faults.push(`overlap: "${one.text.slice(0, 60)}" and "${other.text.slice(0, 60)}"`)
        }
      }
    }
    for (const element of document.querySelectorAll(
      'button, .button, label, th, td, dd, dt, legend, summary',
    )) {
      if (!isShown(element) || element.closest('.scroll') !== null) continue
      const style = getComputedStyle(element)
      if (
        element.scrollWidth > element.clientWidth + 1 &&
        style.display !== 'inline' &&
        style.overflowX === 'hidden'
      ) {
        faults.push(`clipped: "${element.textContent?.trim().slice(0, 60)}"`)
      }
    }
    return faults
  })
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
