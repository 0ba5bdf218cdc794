/** The frame of every page: where one is, the theme, and the way to the API's own documentation. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { readApiKey, storeApiKey } from '../api/key.ts'
import { chooseTheme, readTheme, type ThemeChoice } from '../theme.ts'
import { Link } from './link.tsx'

const SECTIONS = [
  { path: '/plans', label: 'Plans' },
  { path: '/runs', label: 'Runs' },
] as const

export function Shell({ section, children }: { section: string; children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <div class="bar-inner">
          <Link class="brand" to="/plans">
            <img src="/icon.svg" alt="" width="24" height="24" />
            Loadcurve
          </Link>
          <nav aria-label="Sections">
            {SECTIONS.map(({ path, label }) => (
              <Link key={path} to={path} current={section === path}>
                {label}
              </Link>
            ))}
            <a href="/docs">API</a>
          </nav>
          <div class="bar-end">
            <ThemeSelect />
            <SignOut />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

function ThemeSelect() {
  const [choice, setChoice] = useState(readTheme)
  return (
    <label>
      <span class="visually-hidden">Theme</span>
      <select
        value={choice}
        onChange={(event) => {
          const chosen = event.currentTarget.value as ThemeChoice
          chooseTheme(chosen)
          setChoice(chosen)
        }}
      >
        <option value="system">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}

function SignOut() {
  if (readApiKey() === null) return null
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => {
        storeApiKey(null)
        location.reload()
      }}
    >
      Sign out
    </button>
  )
}
