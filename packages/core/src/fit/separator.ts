/** Which separator a table's text uses: comma, semicolon or tab. */

const SEPARATORS = [',', ';', '\t'] as const

/** The separator that the header uses most: names hold none of them. Lines that begin with `#` are comments. */
export function separatorOf(text: string): string {
  const header = text.split(/\r?\n|\r/).find((line) => line.trim() !== '' && !line.startsWith('#')) ?? ''
  const count = (separator: string) => header.split(separator).length
  return SEPARATORS.reduce<string>(
    (best, separator) => (count(separator) > count(best) ? separator : best),
    SEPARATORS[0],
  )
}
