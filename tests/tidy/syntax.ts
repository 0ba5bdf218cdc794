/** TypeScript as a syntax tree (the Oxc parser that Vite carries), with the little that the rules ask of it. */
import { type ESTree, parseSync } from 'vite'
import type { SourceFile } from './files.ts'

export type SyntaxNode = ESTree.Node & { readonly start: number; readonly end: number }

export interface Visit {
  readonly node: SyntaxNode
  readonly parent: SyntaxNode | null
  /** The property of the parent that holds the node. */
  readonly role: string
}

export interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
  readonly line: number
}

/** Every node of a file, parents first. */
export function nodesOf(file: SourceFile): readonly Visit[] {
  const { program, errors } = parseSync(file.path, file.text)
  const error = errors[0]
  if (error !== undefined) throw new SyntaxError(`${file.path}: ${error.message}`)
  const visits: Visit[] = []
  const visit = (value: unknown, parent: SyntaxNode | null, role: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, parent, role)
    else if (isNode(value)) {
      visits.push({ node: value, parent, role })
      for (const [key, child] of Object.entries(value)) visit(child, value, key)
    }
  }
  visit(program, null, '')
  return visits
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

export function lineAt(file: SourceFile, offset: number): number {
  return file.text.slice(0, offset).split('\n').length
}

/** Static and dynamic imports and re-exports. */
export function importsOf(file: SourceFile): readonly Import[] {
  return nodesOf(file).flatMap(({ node }) => {
    if (node.type === 'ImportExpression' || node.type === 'TSImportType') {
      const { source } = node
      if (source.type !== 'Literal' || typeof source.value !== 'string') return []
      return [importAt(file, node, source.value, node.type === 'TSImportType')]
    }
    if (node.type === 'ImportDeclaration') {
      return [importAt(file, node, node.source.value, node.importKind === 'type')]
    }
    if (node.type === 'ExportAllDeclaration' || node.type === 'ExportNamedDeclaration') {
      return node.source ? [importAt(file, node, node.source.value, node.exportKind === 'type')] : []
    }
    return []
  })
}

const importAt = (file: SourceFile, node: SyntaxNode, specifier: string, typeOnly: boolean): Import => ({
  specifier,
  typeOnly,
  line: lineAt(file, node.start),
})
