import { passwordOf, redactor } from '@loadcurve/core/run/redact'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('redact: a secret does not survive, whatever stands around it', () => {
  const key = fc.stringMatching(/^sk-[A-Za-z0-9_"\\/]{6,40}$/)
  fc.assert(
    fc.property(key, fc.string(), fc.string(), (secret, before, after) => {
      const redact = redactor([secret])
      expect(redact(`${before}${secret}${after}`)).not.toContain(secret)
      const line = redact(JSON.stringify({ message: `${before} ${secret} ${after}` }))
      expect((JSON.parse(line) as { message: string }).message).not.toContain(secret)
      expect(decodeURIComponent(redact(`/?key=${encodeURIComponent(secret)}`))).not.toContain(secret)
    }),
  )
})

test('redact: the longer of two secrets goes whole', () => {
  expect(redactor(['sk-one-key', 'sk-one-key-longer'])('a sk-one-key-longer b')).toBe('a [redacted] b')
})

test('redact: short values are left alone', () => {
  expect(redactor(['', 'a', 'prod'])('a prod text')).toBe('a prod text')
})

test('password: is found in a connection URL, decoded', () => {
  expect(passwordOf('postgresql://user:p%40ss:word@host/db')).toBe('p@ss:word')
  expect(passwordOf('redis://:secret@host:6379')).toBe('secret')
  expect(passwordOf('postgresql://user@host/db?host=%2Ftmp')).toBe('')
  expect(passwordOf('/tmp/redis.sock')).toBe('')
})
