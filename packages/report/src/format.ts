/** Numbers and times as reports and the dashboard write them. Unknown is a dash, never 0. */

export const UNKNOWN = '–'

/** Three significant digits with thousands separated. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-GB', { maximumFractionDigits: Math.min(digits, 6) })
}

export function unitText(value: number | null | undefined, unit: string): string {
  const text = numberText(value)
  return text === UNKNOWN ? text : `${text} ${unit}`
}

export function percentText(fraction: number | null | undefined): string {
  return fraction === null || fraction === undefined ? UNKNOWN : `${numberText(100 * fraction)} %`
}

export function moneyText(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN
  // Cents, where they are what a reader expects.
  const isEveryday = Math.abs(value) >= 0.1 && Math.abs(value) < 1000
  return `$${isEveryday ? value.toFixed(2) : numberText(value)}`
}

export function intervalText(bounds: readonly [number, number] | null | undefined): string {
  return bounds === null || bounds === undefined
    ? UNKNOWN
    : `${numberText(bounds[0])} to ${numberText(bounds[1])}`
}

/** An instant of the wall clock in UTC, so that a report says the same to everybody. */
export function instantText(iso: string | null | undefined): string {
  return iso === null || iso === undefined ? UNKNOWN : `${iso.slice(0, 16).replace('T', ' ')} UTC`
}
