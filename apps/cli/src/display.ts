import type { Display } from './context.ts'

/** 80 columns fit everywhere, also in mail and in logs. */
const columnsDefault = 80

/**
 * What an output can show. Colour only on a terminal that has not declined it (`NO_COLOR`, `TERM=dumb`); block
 * characters only on a terminal with a UTF-8 locale, so that a file or a pipe gets plain ASCII.
 */
export function detectDisplay(
  output: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): Display {
  if (output.isTTY !== true) return { colour: false, unicode: false, columns: columnsDefault }
  const declined = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return {
    colour: !declined,
    unicode: env['TERM'] !== 'dumb' && /utf-?8/i.test(locale),
    columns: output.columns ?? columnsDefault,
  }
}
