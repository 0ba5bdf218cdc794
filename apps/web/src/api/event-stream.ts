/**
 * Follows the server-sent events of a run and survives lost connections: after each cut it asks again with the id of
 * the last event it saw, so none is missed and none comes twice. `EventSource` cannot send an API key, hence `fetch`.
 */
import { ApiProblem } from './problem.ts'
import { send } from './request.ts'

export interface ServerEvent {
  readonly id: string
  readonly type: string
  readonly data: unknown
}

export interface FollowOptions {
  readonly path: string
  readonly onEvent: (event: ServerEvent) => void
  /** `live` while connected; `lost` while waiting to try again. */
  readonly onConnection: (state: 'live' | 'lost') => void
  readonly signal: AbortSignal
  readonly retryMs?: number
}

const RETRY_MS_MAX = 10_000

/** Resolves when the server ends the stream for good, or when aborted. @throws ApiProblem when it refuses */
export async function followEvents(options: FollowOptions): Promise<void> {
  let lastId: string | null = null
  let retryMs = options.retryMs ?? 500
  while (!options.signal.aborted) {
    try {
      const finished = await readOnce(options, lastId, (event) => {
        lastId = event.id
        retryMs = options.retryMs ?? 500
        options.onEvent(event)
      })
      if (finished) return
    } catch (error) {
      if (options.signal.aborted) return
      if (error instanceof ApiProblem && error.status >= 400 && error.status < 500) throw error
    }
    options.onConnection('lost')
    await pause(retryMs, options.signal)
    retryMs = Math.min(RETRY_MS_MAX, retryMs * 2)
  }
}

async function readOnce(
  options: FollowOptions,
  lastId: string | null,
  onEvent: (event: ServerEvent) => void,
): Promise<boolean> {
  const response = await send(options.path, {
    headers: { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) },
    signal: options.signal,
  })
  options.onConnection('live')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return false
  let pending = ''
  let finished = false
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return finished
    const blocks = `${pending}${value}`.split('\n\n')
    pending = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseBlock(block)
      if (event === null) continue
      if (event.type === 'end') finished = true
      else onEvent(event)
    }
  }
}

// Our own server writes these blocks: LF line ends, one data line, comments as keep-alive.
function parseBlock(block: string): ServerEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart())
  }
  const type = fields.get('event')
  if (type === undefined) return null
  return { id: fields.get('id') ?? '', type, data: JSON.parse(fields.get('data') ?? 'null') }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
