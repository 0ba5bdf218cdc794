/** Faults that take the place of an answer, or of its beginning. */
import type { ServerResponse } from 'node:http'
import { errorBody, sendError, sendText } from '../http-server/api-error.ts'
import { resetSocket } from '../http-server/reset-socket.ts'
import type { ChosenFault } from './catalogue.ts'

/**
 * @param proceed gives the normal answer, for a fault that only delays it
 * @returns true when the fault took over; false when this is no `head` fault
 */
export function answerHeadFault(fault: ChosenFault, response: ServerResponse, proceed: () => void): boolean {
  switch (fault.name) {
    case 'refuse':
    case 'reset-before-head':
      resetSocket(response.socket)
      return true
    case 'stall-before-head':
      return true
    case 'slow-head':
      delayed(fault.delayMs, response, proceed)
      return true
    case 'http-429':
      sendError(response, failure(429, 'RateLimitError', 'Too many requests.'), { 'retry-after': '1' })
      return true
    case 'http-500':
      sendError(response, failure(500, 'InternalServerError', 'The engine failed.'))
      return true
    case 'http-503':
      sendError(response, failure(503, 'ServiceUnavailableError', 'The engine is not ready.'))
      return true
    case 'error-body-200':
      sendText(response, {
        status: 200,
        type: 'application/json',
        body: errorBody(failure(500, 'InternalServerError', 'The engine failed.')),
        headers: {},
      })
      return true
    case 'html-200':
      sendText(response, {
        status: 200,
        type: 'text/html',
        body: '<!doctype html><title>Sign in</title><p>Please sign in.</p>',
        headers: {},
      })
      return true
    default:
      return false
  }
}

function failure(status: number, type: string, message: string) {
  return { status, type, message, param: null }
}

function delayed(delayMs: number, response: ServerResponse, proceed: () => void): void {
  const timer = setTimeout(proceed, delayMs)
  response.once('close', () => clearTimeout(timer))
}
