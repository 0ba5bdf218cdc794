import { errors } from 'undici'
import { expect, test } from 'vitest'
import { endingOfError, isRetryable, timeoutEnding } from '../../src/target/ending.ts'

const coded = (code: string) => Object.assign(new Error(`it said ${code}`), { code })

const rows: [error: Error, kind: string, code: string, retryable: boolean][] = [
  [coded('ECONNREFUSED'), 'failed', 'connection_refused', false],
  [coded('ECONNRESET'), 'failed', 'connection_reset', true],
  [coded('EPIPE'), 'failed', 'connection_reset', true],
  [coded('ENOTFOUND'), 'failed', 'name_not_found', false],
  [coded('EADDRNOTAVAIL'), 'failed', 'ports_exhausted', false],
  [coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'failed', 'tls_failed', false],
  [coded('SELF_SIGNED_CERT_IN_CHAIN'), 'failed', 'tls_failed', false],
  [coded('target-link-local'), 'failed', 'target_link_local', false],
  [new errors.SocketError('other side closed'), 'closed', 'closed_early', true],
  [new errors.ConnectTimeoutError('slow'), 'timeout', 'connect_timeout', false],
  [new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]), 'failed', 'connection_refused', false],
  [new Error('no code at all'), 'failed', 'unknown', false],
]
test.each(rows)('ending: %s is %s, %s', (error, kind, code, retryable) => {
  expect(endingOfError(error)).toMatchObject({ kind, code })
  expect(isRetryable(error)).toBe(retryable)
})

test('ending: a passed deadline is a timeout with a sentence', () => {
  expect(timeoutEnding('idle_timeout')).toEqual({
    kind: 'timeout',
    code: 'idle_timeout',
    text: 'the answer fell silent for longer than allowed',
  })
})
