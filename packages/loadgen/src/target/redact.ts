/** What may be shown of a server's words. */

const SHOWN_MAX = 200

/** The first 200 characters, on one line, with the key replaced wherever the server repeats it. */
export function redacted(text: string | null, apiKey: string | null): string | null {
  if (text === null) return null
  const clean = apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '[key]')
  return clean
    .replace(/Bearer\s+[\w.~+/=-]+/gi, 'Bearer [key]')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, SHOWN_MAX)
}
