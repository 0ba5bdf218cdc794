import { pathOfPointer } from '@loadcurve/core/plan/violation'
import { expect, test } from 'vitest'

test.each([
  ['', ''],
  ['/name', 'name'],
  ['/slo/1/maxMs', 'slo[1].maxMs'],
  ['/target/headers/x~1y~0z', 'target.headers.x/y~z'],
  ['/sweep/concurrency/0', 'sweep.concurrency[0]'],
])('violation: the pointer "%s" reads "%s"', (pointer, path) => expect(pathOfPointer(pointer)).toBe(path))
