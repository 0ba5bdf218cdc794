/** The API key of this browser tab. It lives in sessionStorage: closing the tab signs out. */

const STORAGE_KEY = 'loadcurve.api-key'

export const readApiKey = (): string | null => sessionStorage.getItem(STORAGE_KEY)

export function storeApiKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORAGE_KEY)
  else sessionStorage.setItem(STORAGE_KEY, key)
}
