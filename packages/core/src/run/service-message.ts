/**
 * What an API or worker process says to whoever started it, over the IPC channel. The other direction needs no words:
 * a closed channel or SIGTERM means "stop in order".
 */
export interface ServiceReady {
  readonly type: 'ready'
  /** Where the API listens; null for a worker. */
  readonly url: string | null
}

export function isServiceReady(value: unknown): value is ServiceReady {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'ready'
}
