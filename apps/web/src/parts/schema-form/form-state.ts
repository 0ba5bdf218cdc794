/** What every control of the form needs: the whole value, the violations, and a way to change one part. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Violation } from '../../api/problem.ts'
import { pathText, readPath, type ValuePath } from './value-path.ts'

export interface FormState {
  readonly value: unknown
  readonly violations: readonly Violation[]
  readonly change: (path: ValuePath, replacement: unknown) => void
}

export const FormContext = createContext<FormState>({ value: {}, violations: [], change: () => {} })

export function useField(path: ValuePath) {
  const form = useContext(FormContext)
  const text = pathText(path)
  return {
    id: `field-${text.replace(/[^A-Za-z0-9]+/g, '-')}`,
    value: readPath(form.value, path),
    violations: form.violations.filter((violation) => violation.path === text),
    change: (replacement: unknown) => form.change(path, replacement),
  }
}

/** How many violations lie at or below a path: shown on a closed group, so that none hides. */
export function useViolationsBelow(path: ValuePath): number {
  const text = pathText(path)
  return useContext(FormContext).violations.filter(
    ({ path: at }) => at === text || at.startsWith(`${text}.`) || at.startsWith(`${text}[`),
  ).length
}
