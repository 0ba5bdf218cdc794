/** Every module of core that does something has a test at the mirrored path. */
import type { Breach, SourceFile } from './files.ts'
import { nodesOf } from './syntax.ts'

export function untested(modules: readonly SourceFile[], paths: readonly string[]): readonly Breach[] {
  const present = new Set(paths)
  return modules.flatMap((file) => {
    const test = file.path.replace('/src/', '/test/').replace(/\.ts$/, '.test.ts')
    if (present.has(test) || isOnlyTypes(file)) return []
    return [
      { where: file.path, what: `has no test: write ${test}, which checks its values against an oracle` },
    ]
  })
}

/** Types leave nothing to run. */
function isOnlyTypes(file: SourceFile): boolean {
  const program = nodesOf(file)[0]?.node
  if (program?.type !== 'Program') return false
  return program.body.every((node) => {
    if (node.type === 'ImportDeclaration') return node.importKind === 'type'
    if (node.type === 'ExportNamedDeclaration') return node.exportKind === 'type'
    return node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration'
  })
}
