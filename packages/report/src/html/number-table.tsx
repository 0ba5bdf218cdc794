/** A table of figures: a heading per column, numbers to the right. */
import type { ComponentChildren } from 'preact'

export interface Column {
  readonly name: string
  readonly isText?: boolean
}

export interface Row {
  readonly key: string
  /** The first cell is the row's heading. */
  readonly cells: readonly ComponentChildren[]
  readonly isMuted?: boolean
}

interface NumberTableProps {
  readonly caption: ComponentChildren
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export function NumberTable({ caption, columns, rows }: NumberTableProps) {
  const classOf = (index: number) => (index === 0 || columns[index]?.isText === true ? '' : 'number')
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name }, index) => (
            <th scope="col" class={classOf(index)} key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells, isMuted = false }) => (
          <tr key={key} class={isMuted ? 'excluded' : ''}>
            {cells.map((cell, index) =>
              index === 0 ? (
                <th scope="row" key={columns[index]?.name}>
                  {cell}
                </th>
              ) : (
                <td class={classOf(index)} key={columns[index]?.name}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
