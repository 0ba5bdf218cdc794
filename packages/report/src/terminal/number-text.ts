/** Numbers for reading: as many digits as a measurement deserves, and a mark where there is none. */
import type { Symbols } from './style.ts'

/** Three significant digits, more where the integer part has them anyway; whole numbers as they are. */
export function numberText(value: number | null, symbols: Symbols): string {
  if (value === null) return symbols.unknown
  const size = Math.abs(value)
  if (size >= 99.95 || Number.isInteger(value)) return value.toFixed(0)
  if (size >= 9.995) return value.toFixed(1)
  if (size >= 0.9995) return value.toFixed(2)
  // toPrecision would write 1e-7.
  return value.toFixed(Math.min(12, 2 - Math.floor(Math.log10(size))))
}

export function rangeText(range: readonly [number, number] | null, symbols: Symbols): string {
  if (range === null) return symbols.unknown
  return `${numberText(range[0], symbols)}${symbols.range}${numberText(range[1], symbols)}`
}

/** A fraction as per cent. */
export function percentText(fraction: number | null, symbols: Symbols): string {
  return fraction === null ? symbols.unknown : `${numberText(fraction * 100, symbols)} %`
}
