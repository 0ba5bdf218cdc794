/** Reads and replaces a part of a JSON value by its path; nothing is mutated. */

export type PathPart = string | number
export type ValuePath = readonly PathPart[]

export function readPath(value: unknown, path: ValuePath): unknown {
  let current = value
  for (const part of path) {
    if (current === null || typeof current !== 'object') return undefined
    current = (current as Record<PathPart, unknown>)[part]
  }
  return current
}

/** The value with the part at `path` replaced; `undefined` removes it, so that its default applies again. */
export function replacePath(value: unknown, path: ValuePath, replacement: unknown): unknown {
  const [part, ...rest] = path
  if (part === undefined) return replacement
  const inner = replacePath(readPath(value, [part]), rest, replacement)
  if (Array.isArray(value)) {
    const items = [...value]
    if (inner === undefined) items.splice(Number(part), 1)
    else items[Number(part)] = inner
    return items
  }
  const fields = { ...(value as Record<PathPart, unknown> | null | undefined) }
  if (inner === undefined) delete fields[part]
  else fields[part] = inner
  return fields
}

/** `['slo', 0, 'maxMs']` → `slo[0].maxMs`, as violations spell it. */
export function pathText(path: ValuePath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )
}
