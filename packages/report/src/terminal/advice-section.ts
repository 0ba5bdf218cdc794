/** Reasons and caveats as sentences, each with what to do about it. */
import { type CodeRemark, codeText, readRemark } from '../codes.ts'
import { wrapText } from './layout.ts'
import type { Style } from './style.ts'

/** @param remarks codes, each alone or with a detail: `estimate-differs: the estimate is 31 % above ...` */
export function adviceSection(title: string, remarks: readonly string[], style: Style): readonly string[] {
  if (remarks.length === 0) return []
  // One code may come from several places; a remark with a detail says more.
  const details = new Map<string, string | null>()
  for (const { code, detail } of remarks.map(readRemark))
    details.set(code, detail ?? details.get(code) ?? null)
  return [
    style.heading(title),
    ...[...details].flatMap(([code, detail]) => adviceLines({ code, detail }, style)),
  ]
}

function adviceLines({ code, detail }: CodeRemark, style: Style): readonly string[] {
  const { meaning, next } = codeText(code)
  const sentence = detail === null ? meaning : `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`
  return wrapText(`${sentence} ${next} [${code}]`, style.columns, {
    first: `  ${style.symbols.bullet} `,
    rest: '    ',
  })
}
