/** A part of a page that has to be fetched first: says that it loads, and why it failed. */
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { ApiProblem } from '../api/problem.ts'
import { request } from '../api/request.ts'

export interface Fetched<Value> {
  readonly value: Value | null
  readonly problem: ApiProblem | null
  readonly reload: () => void
}

/** GETs a path whenever it changes; null fetches nothing. */
export function useFetched<Value>(path: string | null): Fetched<Value> {
  const [state, setState] = useState<{ value: Value | null; problem: ApiProblem | null }>({
    value: null,
    problem: null,
  })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (path === null) return
    const left = new AbortController()
    request<Value>(path, { signal: left.signal }).then(
      (value) => setState({ value, problem: null }),
      (error: unknown) => {
        if (!left.signal.aborted) setState((before) => ({ ...before, problem: asProblem(error) }))
      },
    )
    return () => left.abort()
  }, [path, round])
  return { ...state, reload: useCallback(() => setRound((before) => before + 1), []) }
}

export function Loaded<Value>({
  fetched,
  children,
}: {
  fetched: Fetched<Value>
  children: (value: Value) => ComponentChildren
}) {
  if (fetched.problem !== null && fetched.value === null) return <ProblemAlert problem={fetched.problem} />
  if (fetched.value === null) return <p class="muted">Loading …</p>
  return <>{children(fetched.value)}</>
}

export function ProblemAlert({ problem }: { problem: ApiProblem | null }) {
  if (problem === null) return null
  return (
    <div class="alert" role="alert">
      {problem.message}
    </div>
  )
}

export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem({
    status: 0,
    code: 'dashboard-error',
    detail: `The dashboard failed: ${String(error)}`,
  })
}
