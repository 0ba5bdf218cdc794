/** A document as its words, a line for each block: what a golden file can hold without holding every coordinate. */

const BLOCKS = 'h1, h2, h3, p, li, dt, dd, caption, th, td, summary, svg[role="img"]'

export function skeleton(document: Document): string {
  const lines = [...document.querySelectorAll(BLOCKS)].map((block) => {
    const name = block.tagName.toLowerCase()
    const text = name === 'svg' ? (block.getAttribute('aria-label') ?? '') : (block.textContent ?? '')
    return `${name}: ${text.replace(/\s+/g, ' ').trim()}`
  })
  return `${lines.join('\n')}\n`
}
