/** Names and values side by side; what is unknown is left out. */
import type { ComponentChildren } from 'preact'
import { UNKNOWN } from '../format.ts'

export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A fact that is a text; nothing where that is empty or a dash. */
export function KnownFact({ name, text }: { name: string; text: string }) {
  return text === '' || text === UNKNOWN ? null : <Fact name={name}>{text}</Fact>
}

export function Section({ title, id, children }: { title: string; id: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** A wide table in a region that scrolls on its own; keyboards reach it. */
export function ScrollRegion({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
