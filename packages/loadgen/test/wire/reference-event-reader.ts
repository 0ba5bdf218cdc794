/**
 * An independent reader of event streams, for tests: the standard's own algorithm on decoded text, all at once and
 * with no regard to speed. It shares no code with the parser under test.
 */

export interface ReferenceEvents {
  readonly events: { readonly data: string; readonly type: string }[]
  readonly errors: string[]
  readonly comments: number
}

export function readEvents(source: string): ReferenceEvents {
  const found: { events: ReferenceEvents['events']; errors: string[]; comments: number } = {
    events: [],
    errors: [],
    comments: 0,
  }
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  // A line that no terminator ended is dropped, as the standard wants at the end of a stream.
  const lines = text.split(/\r\n|\r|\n/).slice(0, -1)
  let data: string[] = []
  let type = ''
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) found.events.push({ data: data.join('\n'), type: type === '' ? 'message' : type })
      data = []
      type = ''
      continue
    }
    const match = /^([^:]*)(?::(?: ?)([\s\S]*))?$/.exec(line)
    const name = match?.[1] ?? ''
    const value = match?.[2] ?? ''
    if (line.startsWith(':')) found.comments++
    else if (name === 'data') data.push(value)
    else if (name === 'event') type = value
    else if (name === 'error') found.errors.push(value)
  }
  return found
}
