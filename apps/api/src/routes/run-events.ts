/**
 * The events of a run as server-sent events. A reader that comes late, or back after a cut, names the last event it
 * saw (`Last-Event-ID`) and gets the rest; after the run's last event the stream ends with an `end` event.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { RunEvent } from '@loadcurve/core/run/event'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { failures, Problem } from '../problem.ts'
import { findRun } from './runs.ts'

/** Comments this often keep proxies from closing a quiet stream. */
const KEEP_ALIVE_MS = 15_000

export async function runEventRoutes(app: Api): Promise<void> {
  let open = 0
  app.get(
    '/v1/runs/:id/events',
    {
      compress: false,
      schema: {
        tags: ['runs'],
        summary: 'Follow a run (server-sent events)',
        description:
          'Each event has an id, its kind as `event`, and JSON `data` with `at` and the kind’s own fields.',
        produces: ['text/event-stream'],
        params: IdParams,
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$' })) }),
        response: { 200: Type.String(), ...failures(400, 401, 404, 503) },
      },
    },
    async (request, reply) => {
      const run = await findRun(app, request.params.id)
      if (open >= app.context.eventStreamsMax) throw tooManyStreams(app.context.eventStreamsMax)
      open++
      const left = new AbortController()
      request.raw.once('close', () => left.abort())
      reply.hijack()
      try {
        const afterId = Number(request.headers['last-event-id'] ?? 0)
        await stream(
          reply.raw,
          reply.getHeaders(),
          app.context.events.follow({ runId: run.id, afterId, signal: left.signal }),
        )
      } catch (error) {
        request.log.warn({ err: error, runId: run.id }, 'event stream broke')
        reply.raw.destroy()
      } finally {
        open--
      }
    },
  )
}

async function stream(
  response: ServerResponse,
  headers: Readonly<Record<string, unknown>>,
  events: AsyncIterable<RunEvent>,
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string)
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  const keepAlive = setInterval(() => response.write(': still here\n\n'), KEEP_ALIVE_MS)
  try {
    for await (const event of events) {
      const data = JSON.stringify({ ...event.data, at: event.at })
      // A reader that does not keep up holds only itself up.
      if (
        !response.write(`id: ${event.id}\nevent: ${event.kind}\ndata: ${data}\n\n`) &&
        !response.destroyed
      ) {
        await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
    }
    response.end('event: end\ndata: null\n\n')
  } finally {
    clearInterval(keepAlive)
  }
}

function tooManyStreams(max: number): Problem {
  return new Problem({
    status: 503,
    code: 'too-many-event-streams',
    title: 'Too many streams',
    detail: `${max} event streams are open already. Close some, or poll GET /v1/runs/{id}.`,
    headers: { 'retry-after': '5' },
  })
}
