// The floor: node:net, one listener per socket, stamps before anything else. With `parse`, it also splits the events
// and parses their JSON on the spot, so that its cost can be compared; without, it only keeps what it got.
import { connect } from 'node:net'

/**
 * Reads one stream of the metronome to its end.
 *
 * @returns {Promise<{atMs: number, event: object}[]>} the content events with their receive instants
 */
export function readBare({ port, path, nowMs, parse = false, onEvent = () => {} }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const chunks = []
    const state = { rest: '', head: true }
    socket.once('connect', () => socket.write(requestHead(path)))
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      const atMs = nowMs()
      if (parse) parseChunk(state, chunk.latin1Slice(), (event) => onEvent(atMs, event))
      else chunks.push({ atMs, text: chunk.latin1Slice() })
      if (!endsStream(chunk)) return
      socket.destroy()
      resolve(parse ? [] : eventsOf(chunks))
    })
  })
}

function requestHead(path) {
  const body = '{"model":"metronome","stream":true,"messages":[]}'
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

// The last chunk of a chunked body.
function endsStream(chunk) {
  return chunk.length >= 5 && chunk.latin1Slice(chunk.length - 5) === '0\r\n\r\n'
}

function eventsOf(chunks) {
  const state = { rest: '', head: true }
  const events = []
  for (const { atMs, text } of chunks) parseChunk(state, text, (event) => events.push({ atMs, event }))
  return events
}

// Framing of HTTP chunks leaves lines that do not start with `data: `; they are skipped like any other line.
function parseChunk(state, text, onEvent) {
  let rest = state.rest + text
  if (state.head) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) {
      state.rest = rest
      return
    }
    rest = rest.slice(end + 4)
    state.head = false
  }
  let start = 0
  for (let end = rest.indexOf('\n\n', start); end >= 0; end = rest.indexOf('\n\n', start)) {
    const data = rest.indexOf('data: ', start)
    if (data >= 0 && data < end && rest.charCodeAt(data + 6) === 0x7b) {
      const event = JSON.parse(rest.slice(data + 6, end))
      if (event.choices[0].delta.content) onEvent(event)
    }
    start = end + 2
  }
  state.rest = rest.slice(start)
}
