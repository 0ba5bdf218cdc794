/** Puts the shared theme into the page, and remembers whether somebody chose light or dark against the system. */
import { THEME_CSS } from '@loadcurve/report/theme'

export type ThemeChoice = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'loadcurve.theme'

export function installTheme(): void {
  const style = document.createElement('style')
  style.textContent = THEME_CSS
  document.head.prepend(style)
  applyTheme(readTheme())
}

export function readTheme(): ThemeChoice {
  const stored = localStorage.getItem(STORAGE_KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(STORAGE_KEY)
  else localStorage.setItem(STORAGE_KEY, choice)
  applyTheme(choice)
}

function applyTheme(choice: ThemeChoice): void {
  if (choice === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = choice
}
