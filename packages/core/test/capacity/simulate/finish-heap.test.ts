import { FinishHeap } from '@loadcurve/core/capacity/simulate/finish-heap'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('finish heap: gives requests back in order of their last step, whatever was removed between', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, fc.nat(), (values, pick) => {
      const heap = new FinishHeap()
      for (const [request, step] of values.entries()) heap.push(step, request)
      const gone = pick % values.length
      expect(heap.remove(gone)).toBe(values[gone])
      const left = values.filter((_, request) => request !== gone).sort((a, b) => a - b)
      const popped = left.map(() => {
        const next = heap.nextStep
        expect(values[heap.pop()]).toBe(next)
        return next
      })
      expect(popped).toEqual(left)
      expect(heap.size).toBe(0)
      expect(heap.nextStep).toBe(Infinity)
    }),
  )
})

test('finish heap: an empty one has nothing to give', () => {
  expect(() => new FinishHeap().pop()).toThrow('pop from an empty heap')
  expect(() => new FinishHeap().remove(3)).toThrow('request 3 is not running')
})
