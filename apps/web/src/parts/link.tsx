/** A link within the dashboard: a real address (it can be opened in a tab), followed without loading the page again. */
import type { ComponentChildren } from 'preact'
import { navigate } from '../router.ts'

interface LinkProps {
  readonly to: string
  readonly children: ComponentChildren
  readonly class?: string
  readonly current?: boolean
}

export function Link({ to, children, class: className, current = false }: LinkProps) {
  return (
    <a
      href={to}
      class={className}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        navigate(to)
      }}
    >
      {children}
    </a>
  )
}
