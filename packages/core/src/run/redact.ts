/** Takes secrets out of a text before anybody else sees it: logs, error messages, events. */

/** Shorter values would blot out ordinary words, and are no secrets worth the name. */
const SECRET_LENGTH_MIN = 6
const MARK = '[redacted]'

/**
 * A function that replaces every occurrence of the secrets by `[redacted]`, also where JSON or a URL has escaped them.
 *
 * @param secrets values to hide; those of fewer than 6 characters are left alone
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
  // Longest first: a secret may contain another one.
  const distinct = [...new Set(spellings)].sort((left, right) => right.length - left.length)
  return (text) => distinct.reduce((clean, spelling) => clean.replaceAll(spelling, MARK), text)
}

/** The password inside a connection URL; empty when it has none. */
export function passwordOf(url: string): string {
  const written = /^[a-z+]+:\/\/[^:/?#@]*:([^/?#]*)@/i.exec(url)?.[1] ?? ''
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
