import { codeText, KNOWN_CODES } from '@loadcurve/report/codes'
import { expect, test } from 'vitest'

test.each(KNOWN_CODES)('codes: %s has a sentence and a next step that starts with a verb', (code) => {
  const { meaning, next } = codeText(code)
  expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  expect(meaning).toMatch(/^[A-Z].*\.$/)
  expect(next).toMatch(/^[A-Z][a-z]+ .*\.$/)
})

test('codes: an unknown code is shown and not hidden', () => {
  expect(codeText('never-heard-of').meaning).toContain('never-heard-of')
  expect(codeText('constructor').meaning).toContain('constructor')
})
