/** Times as the dashboard writes them, in the reader's own zone. */
import { UNKNOWN } from '@loadcurve/report/format'

export function instant(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return UNKNOWN
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}

/** Elapsed time between two instants of the wall clock, in words; for people, never for a figure. */
export function elapsed(fromIso: string | null, toIso: string | null): string {
  if (fromIso === null) return UNKNOWN
  const seconds = Math.max(
    0,
    Math.round((Date.parse(toIso ?? new Date().toISOString()) - Date.parse(fromIso)) / 1000),
  )
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
