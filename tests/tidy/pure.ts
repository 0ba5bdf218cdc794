/** Core is a function of its data: no clock, no chance of its own, no input or output (docs/ARCHITECTURE.md). */
import type { Breach, SourceFile } from './files.ts'
import { lineAt, nodesOf, type Visit } from './syntax.ts'

const bannedNames: Readonly<Record<string, string>> = {
  Date: 'time comes in as a number of ms',
  performance: 'time comes in as a number of ms',
  setTimeout: 'waiting is the caller’s business',
  setInterval: 'waiting is the caller’s business',
  setImmediate: 'waiting is the caller’s business',
  queueMicrotask: 'waiting is the caller’s business',
  process: 'settings come in as parameters',
  globalThis: 'settings come in as parameters',
  fetch: 'core opens no sockets',
  WebSocket: 'core opens no sockets',
  console: 'return what there is to say',
  crypto: 'chance comes in as a Random',
  Buffer: 'core runs in a browser too: use Uint8Array',
  require: 'use import',
}

export function impurities(file: SourceFile): readonly Breach[] {
  const visits = nodesOf(file)
  const ownNames = new Set(visits.flatMap(boundName))
  return visits.flatMap((visit) => {
    const found = impurity(visit, ownNames)
    if (found === null) return []
    return [{ where: `${file.path}:${lineAt(file, visit.node.start)}`, what: found }]
  })
}

function impurity({ node, parent, role }: Visit, ownNames: ReadonlySet<string>): string | null {
  if (node.type === 'MemberExpression' && isName(node.object, 'Math') && isName(node.property, 'random')) {
    return 'core may not call Math.random: take a Random (random.ts), so that the run can be replayed'
  }
  if (node.type !== 'Identifier' || ownNames.has(node.name) || isOnlyAName(parent, role)) return null
  const reason = Object.hasOwn(bannedNames, node.name) ? bannedNames[node.name] : undefined
  return reason === undefined ? null : `core may not use ${node.name}: ${reason}`
}

// An arrival `process` that a function is handed is not the global one.
function boundName({ node, parent, role }: Visit): readonly string[] {
  if (node.type !== 'Identifier') return []
  const isBound = role === 'params' || role === 'id' || (role === 'value' && parent?.type === 'Property')
  return isBound ? [node.name] : []
}

const isName = (node: { readonly type: string }, name: string): boolean =>
  node.type === 'Identifier' && 'name' in node && node.name === name

// `summary.process` and `{ process: 1 }` name a property, not the global.
function isOnlyAName(parent: Visit['parent'], role: string): boolean {
  if (parent === null) return false
  const named = (role === 'property' || role === 'key') && 'computed' in parent && !parent.computed
  return named || role === 'label'
}
