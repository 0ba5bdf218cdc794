/** Which page the address names. Paths are plain, so that links can be shared and the back button works. */
import { useEffect, useState } from 'preact/hooks'

export type Route =
  | { readonly page: 'plans' }
  | { readonly page: 'plan-edit'; readonly planId: string | null }
  | { readonly page: 'plan'; readonly planId: string }
  | { readonly page: 'runs' }
  | { readonly page: 'run'; readonly runId: string }
  | { readonly page: 'compare'; readonly runIds: readonly string[] }
  | { readonly page: 'not-found' }

export function parseRoute(url: URL): Route {
  const [first, id, action] = url.pathname.split('/').filter((part) => part !== '')
  if (first === undefined || (first === 'plans' && id === undefined)) return { page: 'plans' }
  if (first === 'plans' && id === 'new') return { page: 'plan-edit', planId: null }
  if (first === 'plans' && id !== undefined && action === 'edit') return { page: 'plan-edit', planId: id }
  if (first === 'plans' && id !== undefined && action === undefined) return { page: 'plan', planId: id }
  if (first === 'runs' && id === undefined) return { page: 'runs' }
  if (first === 'runs' && id !== undefined && action === undefined) return { page: 'run', runId: id }
  if (first === 'compare' && id === undefined) {
    const runs = url.searchParams.get('runs') ?? ''
    return { page: 'compare', runIds: runs.split(',').filter((run) => run !== '') }
  }
  return { page: 'not-found' }
}

export function navigate(path: string): void {
  history.pushState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(new URL(location.href)))
  useEffect(() => {
    const update = () => setRoute(parseRoute(new URL(location.href)))
    addEventListener('popstate', update)
    return () => removeEventListener('popstate', update)
  }, [])
  return route
}
