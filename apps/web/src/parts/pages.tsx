/** A list that grows page by page with its cursor. */
import { useEffect, useState } from 'preact/hooks'
import { request } from '../api/request.ts'
import { asProblem, type Fetched } from './loaded.tsx'

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

export interface Pages<Item> {
  readonly fetched: Fetched<readonly Item[]>
  readonly more: (() => void) | null
}

/** @param path with at least one query parameter; the cursor is appended */
export function usePages<Item>(path: string): Pages<Item> {
  const [items, setItems] = useState<readonly Item[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [problem, setProblem] = useState<Fetched<never>['problem']>(null)
  const load = (from: string | null) => {
    const url = from === null ? path : `${path}&cursor=${encodeURIComponent(from)}`
    request<Page<Item>>(url).then(
      (page) => {
        setItems((before) => (from === null ? page.items : [...(before ?? []), ...page.items]))
        setCursor(page.nextCursor)
        setProblem(null)
      },
      (error: unknown) => setProblem(asProblem(error)),
    )
  }
  useEffect(() => load(null), [path])
  return {
    fetched: { value: items, problem, reload: () => load(null) },
    more: cursor === null ? null : () => load(cursor),
  }
}

export function MoreButton<Item>({ pages }: { pages: Pages<Item> }) {
  if (pages.more === null) return null
  return (
    <button type="button" class="quiet" onClick={pages.more}>
      Show more
    </button>
  )
}
