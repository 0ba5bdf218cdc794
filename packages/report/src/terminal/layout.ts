/** Text in columns and paragraphs. */

export interface TextColumn {
  readonly heading: string
  readonly cells: readonly string[]
  readonly align: 'left' | 'right'
}

/**
 * Columns side by side. The gaps shrink from two blanks to one when the width needs it; a table that is still too wide
 * stays whole, since a cut number is a wrong one.
 */
export function textTable(columns: readonly TextColumn[], width: number): readonly string[] {
  const sizes = columns.map(({ heading, cells }) =>
    Math.max(...[heading, ...cells].map((text) => text.length)),
  )
  const content = sizes.reduce((sum, size) => sum + size, 0)
  const gap = content + 2 * (columns.length - 1) <= width ? '  ' : ' '
  const rowCount = Math.max(0, ...columns.map(({ cells }) => cells.length))
  const line = (pick: (column: TextColumn) => string) =>
    columns
      .map((column, index) => {
        const size = sizes[index] ?? 0
        return column.align === 'left' ? pick(column).padEnd(size) : pick(column).padStart(size)
      })
      .join(gap)
      .trimEnd()
  const rows = Array.from({ length: rowCount }, (_, row) => line((column) => column.cells[row] ?? ''))
  return [line((column) => column.heading), ...rows]
}

/** Breaks a text into lines of at most `width`; `first` and `rest` are put before the first line and the others. */
export function wrapText(
  text: string,
  width: number,
  { first = '', rest = '' }: { readonly first?: string; readonly rest?: string } = {},
): readonly string[] {
  const lines: string[] = []
  let line = first
  let isFresh = true
  for (const word of text.split(' ')) {
    if (!isFresh && line.length + 1 + word.length > width) {
      lines.push(line)
      line = rest
      isFresh = true
    }
    line = isFresh ? `${line}${word}` : `${line} ${word}`
    isFresh = false
  }
  return [...lines, line]
}

/** `name   value` lines with the values in one column; a long value is wrapped under itself. */
export function definitionList(
  entries: readonly (readonly [name: string, value: string])[],
  width: number,
): readonly string[] {
  const nameWidth = Math.max(0, ...entries.map(([name]) => name.length))
  const rest = ' '.repeat(nameWidth + 4)
  return entries.flatMap(([name, value]) =>
    wrapText(value, width, { first: `  ${name.padEnd(nameWidth)}  `, rest }),
  )
}
