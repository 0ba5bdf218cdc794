/** Reading JSON of unknown shape: a server may send anything, so every access is checked. */

export type JsonObject = { readonly [key: string]: unknown }

/** The value, or undefined when the text is not JSON. (`null` is JSON, and servers do send it as an event.) */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value when it is an object and no array; else null. */
export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}

/** The value when it is a finite number >= 0 (a count); else null. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

/** The value when it is a string; else the empty string. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
