/** Habits that STYLE asks for and a parser can see. */
import { basename } from 'node:path/posix'
import type { Breach, SourceFile } from './files.ts'
import { lineAt, nodesOf, type SyntaxNode, type Visit } from './syntax.ts'

const vagueNames = /^(utils?|helpers?|common|misc|shared|index)\.(ts|tsx|mjs|js)$/
// Put together here, so that this file does not break its own rule.
const laterMarks = new RegExp(
  `\\b(${['TO', 'FIX'].map((start) => `${start}${start === 'TO' ? 'DO' : 'ME'}`).join('|')}|X{3})\\b`,
)
const configFiles = /(^|\/)vite(st)?\.config\.ts$/

export function unconventional(file: SourceFile): readonly Breach[] {
  return [...vagueName(file), ...laterMark(file), ...(configFiles.test(file.path) ? [] : syntaxHabits(file))]
}

function vagueName({ path }: SourceFile): readonly Breach[] {
  if (!vagueNames.test(basename(path))) return []
  return [{ where: path, what: 'says nothing about its content: name the file after the one noun it holds' }]
}

function laterMark({ path, text }: SourceFile): readonly Breach[] {
  return text.split('\n').flatMap((line, index) => {
    if (!laterMarks.test(line)) return []
    return [
      {
        where: `${path}:${index + 1}`,
        what: 'marks work for later: do it now, or open an issue and say what holds',
      },
    ]
  })
}

function syntaxHabits(file: SourceFile): readonly Breach[] {
  const visits = nodesOf(file)
  const program = visits[0]?.node
  const found = program !== undefined && isBarrel(program) ? [{ where: file.path, what: barrelAdvice }] : []
  return visits.reduce<Breach[]>((breaches, visit) => {
    const what = habit(visit)
    if (what !== null) breaches.push({ where: `${file.path}:${lineAt(file, visit.node.start)}`, what })
    return breaches
  }, found)
}

const barrelAdvice = 'only passes on the exports of others: import from the module that has them'

function isBarrel(program: SyntaxNode): boolean {
  if (program.type !== 'Program' || program.body.length === 0) return false
  return program.body.every(
    (node) =>
      node.type === 'ExportAllDeclaration' ||
      (node.type === 'ExportNamedDeclaration' && node.source !== null),
  )
}

function habit({ node }: Visit): string | null {
  switch (node.type) {
    case 'ExportDefaultDeclaration':
      return 'default export: export it by name, so that it is called the same everywhere'
    case 'ExportAllDeclaration':
      return barrelAdvice
    case 'TSEnumDeclaration':
      return 'enum: use a union of literals'
    case 'Decorator':
      return 'decorator: call a function'
    case 'MemberExpression':
      return excludesTests(node)
        ? 'a test that is left out, or leaves out the others: run it or delete it'
        : null
    default:
      return null
  }
}

function excludesTests(node: SyntaxNode): boolean {
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return false
  if (!/^(test|it|describe)$/.test(node.object.name) || node.property.type !== 'Identifier') return false
  return /^(only|skip|todo)$/.test(node.property.name)
}
