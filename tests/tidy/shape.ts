/** Size: a file is one noun, a function one verb. */
import type { Breach, SourceFile } from './files.ts'
import { lineAt, nodesOf, type Visit } from './syntax.ts'

const fileLinesMax = 300
const functionLinesMax = 50

export function longFile(file: SourceFile): readonly Breach[] {
  const lines = file.text.trimEnd().split('\n').length
  if (lines <= fileLinesMax) return []
  const what = `has ${lines} lines, at most ${fileLinesMax}: it holds more than one noun; move one to its own file`
  return [{ where: file.path, what }]
}

export function longFunctions(file: SourceFile): readonly Breach[] {
  return nodesOf(file).flatMap((visit) => {
    if (!isFunction(visit) || isTestBody(visit)) return []
    const first = lineAt(file, visit.node.start)
    const lines = lineAt(file, visit.node.end) - first + 1
    if (lines <= functionLinesMax) return []
    const what = `this function has ${lines} lines, at most ${functionLinesMax}: it does more than one thing; name the parts`
    return [{ where: `${file.path}:${first}`, what }]
  })
}

const isFunction = ({ node }: Visit): boolean =>
  node.type === 'FunctionDeclaration' ||
  node.type === 'FunctionExpression' ||
  node.type === 'ArrowFunctionExpression'

// The story of an end-to-end test may be long; cutting it into functions would hide its order.
function isTestBody({ parent, role }: Visit): boolean {
  if (parent?.type !== 'CallExpression' || role !== 'arguments') return false
  return /^(test|it|describe|beforeAll|beforeEach|afterAll|afterEach)\b/.test(calleeName(parent.callee))
}

function calleeName(callee: { readonly type: string }): string {
  if (callee.type === 'Identifier' && 'name' in callee) return String(callee.name)
  if (callee.type === 'MemberExpression' && 'object' in callee)
    return calleeName(callee.object as { type: string })
  if (callee.type === 'CallExpression' && 'callee' in callee)
    return calleeName(callee.callee as { type: string })
  return ''
}
