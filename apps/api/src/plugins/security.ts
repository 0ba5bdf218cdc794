/** Headers, compression and rate limits: what every answer of the API gets. */
import compress from '@fastify/compress'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'
import { Problem } from '../problem.ts'

export const security = plugin(async (app: FastifyInstance, options: { requestsPerMinute: number }) => {
  await app.register(helmet, {
    // The dashboard needs nothing from anywhere else; charts set style attributes on their own SVG.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // Plain HTTP on loopback is the default deployment; a TLS proxy in front sets its own HSTS.
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
  })
  await app.register(rateLimit, {
    max: options.requestsPerMinute,
    timeWindow: '1 minute',
    errorResponseBuilder: (_request, context) =>
      new Problem({
        status: 429,
        code: 'too-many-requests',
        title: 'Too many requests',
        detail: `At most ${context.max} requests a minute; try again in ${context.after}.`,
      }),
  })
  await app.register(compress, { threshold: 1024, encodings: ['gzip', 'deflate', 'identity'] })
})
