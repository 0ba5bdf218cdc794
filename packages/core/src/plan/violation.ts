/** One fault of a plan, in the words of whoever wrote it. All faults are reported at once. */
export interface Violation {
  /** Where, as a person writes it: `sweep.step.minDurationS`, `slo[1].maxMs`. Empty: the plan itself. */
  readonly path: string
  /** Stable; programs match it, never the message. */
  readonly code: string
  readonly message: string
  readonly whatToDo: string
}

/** `/slo/1/maxMs` (JSON pointer) as `slo[1].maxMs`. */
export function pathOfPointer(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
