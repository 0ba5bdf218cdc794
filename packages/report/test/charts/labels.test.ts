import { AROUND, mergeNear, placeLabels, type WantedLabel } from '@loadcurve/report/charts/labels'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const frame = { left: 0, right: 400, top: 0, bottom: 200 }
const label = (xPx: number, yPx: number, text: string): WantedLabel => ({ xPx, yPx, text })

test('labels: the first place that is free is taken, and what finds none is left out', () => {
  const [first, second] = placeLabels([label(200, 100, '8'), label(200, 100, '16')], { frame })
  expect(first).toMatchObject({ xPx: 200, yPx: 86, anchor: 'middle', text: '8' })
  // Above is taken by the first one: to the right.
  expect(second).toMatchObject({ xPx: 210, yPx: 100, anchor: 'start', text: '16' })
  const crowd = Array.from({ length: AROUND.length + 3 }, (_, index) => label(200, 100, `level ${index}`))
  expect(placeLabels(crowd, { frame }).length).toBeLessThan(crowd.length)
})

test('labels: stay inside the frame and off the dots', () => {
  const [top] = placeLabels([label(200, 5, '8')], { frame })
  // Above and beside would stick out of the top: below.
  expect(top).toMatchObject({ xPx: 200, yPx: 20, anchor: 'middle' })
  const dots = [
    { xPx: 200, yPx: 100 },
    { xPx: 200, yPx: 86 },
  ]
  expect(placeLabels([label(200, 100, '8')], { frame, dots })[0]).toMatchObject({ xPx: 210 })
})

test('labels: no two that are kept touch, whatever was asked', () => {
  const wanted = fc.array(
    fc.record({
      xPx: fc.integer({ min: 0, max: 400 }),
      yPx: fc.integer({ min: 0, max: 200 }),
      text: fc.string({ minLength: 1, maxLength: 9 }),
    }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(wanted, (labels) => {
      const boxes = placeLabels(labels, { frame }).map(({ xPx, yPx, anchor, text }) => {
        // 7.2 px a character is wider than any letter of the drawings' 12 px type but W and M.
        const widthPx = 7.2 * text.length
        const left = anchor === 'start' ? xPx : anchor === 'end' ? xPx - widthPx : xPx - widthPx / 2
        return { left, right: left + widthPx, top: yPx - 7.5, bottom: yPx + 7.5 }
      })
      for (const [index, one] of boxes.entries()) {
        for (const other of boxes.slice(index + 1)) {
          const apart =
            one.left >= other.right ||
            other.left >= one.right ||
            one.top >= other.bottom ||
            other.top >= one.bottom
          expect(apart).toBe(true)
        }
      }
    }),
  )
})

test('labels: points on top of one another share a name; many are named by their ends', () => {
  const near = [label(10, 10, '16'), label(12, 10, '24'), label(100, 10, '32'), label(11, 11, '48')]
  expect(mergeNear(near, 8).map(({ text }) => text)).toEqual(['16, 24, 48', '32'])
  expect(
    mergeNear(
      [1, 2, 4, 8].map((load) => label(0, 0, String(load))),
      8,
    )[0]?.text,
  ).toBe('1 … 8')
})
