/** A number for a label: three significant digits, thousands separated, no exponent. */
export function shortNumber(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-GB', { maximumFractionDigits: Math.min(digits, 6) })
}
