import { expect, test } from 'vitest'
import { detectDisplay } from '../src/display.ts'

const utf8 = { LANG: 'de_DE.UTF-8', TERM: 'xterm-256color' }

test('display: a pipe or a file gets plain ASCII in 80 columns, whatever the locale', () => {
  expect(detectDisplay({}, utf8)).toEqual({ colour: false, unicode: false, columns: 80 })
  expect(detectDisplay({ isTTY: false, columns: 200 }, utf8)).toEqual({
    colour: false,
    unicode: false,
    columns: 80,
  })
})

test('display: a UTF-8 terminal gets colour and blocks; NO_COLOR, a dumb one and a C locale get less', () => {
  const terminal = { isTTY: true, columns: 120 }
  expect(detectDisplay(terminal, utf8)).toEqual({ colour: true, unicode: true, columns: 120 })
  expect(detectDisplay(terminal, { ...utf8, NO_COLOR: '1' }).colour).toBe(false)
  expect(detectDisplay(terminal, { ...utf8, TERM: 'dumb' })).toMatchObject({ colour: false, unicode: false })
  // LC_ALL wins over LANG, as in POSIX.
  expect(detectDisplay(terminal, { ...utf8, LC_ALL: 'C' }).unicode).toBe(false)
})
