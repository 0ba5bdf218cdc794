/** Reasons and caveats as sentences, each with what to do about it. */
import { codeText } from '../codes.ts'
import { wrapText } from './layout.ts'
import type { Style } from './style.ts'

export function adviceSection(title: string, codes: readonly string[], style: Style): readonly string[] {
  if (codes.length === 0) return []
  return [style.heading(title), ...[...new Set(codes)].flatMap((code) => adviceLines(code, style))]
}

function adviceLines(code: string, style: Style): readonly string[] {
  const { meaning, next } = codeText(code)
  return wrapText(`${meaning} ${next} [${code}]`, style.columns, {
    first: `  ${style.symbols.bullet} `,
    rest: '    ',
  })
}
