/** Every stable code that core can emit has a sentence and a next step (packages/report/src/codes.ts). */
import { KNOWN_CODES } from '@loadcurve/report/codes'
import { expect, test } from 'vitest'
import { filesWhere, isPackageSource } from './files.ts'
import { lineAt, nodesOf, type Visit } from './syntax.ts'

// Where codes come from. A table's violations carry their own sentences, catalogues hold names.
const emitting = /^packages\/core\/src\/(fit|capacity|metrics|slo|load\/controller)/
const notEmitting = /\/fit\/table|catalogue\.ts$/

/** Words of the same form that are no codes. A new one comes either here or into codes.ts. */
const otherWords = new Set([
  // kinds of load, sources of evidence, units
  ...['open-loop', 'closed-loop', 'client-only', 'server-metrics', 'tokens-per-hour', 'not-measured'],
  // what limits a batch: slo-text.ts
  ...['kv-memory', 'measured-range', 'throughput-onset'],
  // purposes of a step, streams of random numbers
  ...['held-out', 'latency-noise', 'below-zero-load'],
])

test('tidy: every code that core can emit has a text', () => {
  const known = new Set(KNOWN_CODES)
  const files = filesWhere((path) => isPackageSource(path) && emitting.test(path) && !notEmitting.test(path))
  const unknown = files.flatMap((file) =>
    nodesOf(file).flatMap((visit) => {
      const code = codeIn(visit)
      if (code === null || known.has(code) || otherWords.has(code)) return []
      const where = `${file.path}:${lineAt(file, visit.node.start)}`
      return [`${where}: "${code}" has no text: add it to packages/report/src/codes.ts`]
    }),
  )
  expect(files.length).toBeGreaterThan(10)
  expect(unknown).toEqual([])
})

/** The code that a string is, or that it starts with: `estimate-differs: the estimate is ...`. */
function codeIn({ node, role }: Visit): string | null {
  const text = node.type === 'TemplateElement' ? node.value.raw : node.type === 'Literal' ? node.value : null
  if (typeof text !== 'string' || role === 'source') return null
  return /^([a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?:$|: )/.exec(text)?.[1] ?? null
}
