import { codeText, KNOWN_CODES, readRemark } from '@loadcurve/report/codes'
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

test('codes: a remark is a code, alone or with the figures of the case', () => {
  expect(readRemark('dirty-sweep')).toEqual({ code: 'dirty-sweep', detail: null })
  expect(readRemark('estimate-differs: 31 % above: look')).toEqual({
    code: 'estimate-differs',
    detail: '31 % above: look',
  })
})
