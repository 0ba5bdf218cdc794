// What most JavaScript clients do: fetch, a stream reader, a text decoder, lines, JSON.

export async function readFetched({ port, path, nowMs, onEvent }) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"model":"metronome","stream":true,"messages":[]}',
  })
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const atMs = nowMs()
    rest += decoder.decode(value, { stream: true })
    const events = rest.split('\n\n')
    rest = events.pop()
    for (const event of events) {
      if (!event.startsWith('data: {')) continue
      const parsed = JSON.parse(event.slice(6))
      if (parsed.choices[0].delta.content) onEvent(atMs, parsed)
    }
  }
}
