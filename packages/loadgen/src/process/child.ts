/** The load process: obeys its owner's messages, and ends when its work is done or its owner is gone. */
import process from 'node:process'
import { LoadSession } from '../load-session.ts'
import { isOwnerMessage, type LoadMessage } from './messages.ts'
import { endWithOwner, tellOwner } from './ownership.ts'

endWithOwner()
const session = new LoadSession(process.env, tell)

process.on('message', (message: unknown) => {
  if (!isOwnerMessage(message)) return
  if (message.type === 'kill') process.exit(1)
  void session.handle(message)
})

function tell(message: LoadMessage): void {
  const isLast = message.type === 'result' || message.type === 'failed'
  // The last word must be written before the process ends.
  tellOwner(message, () => {
    if (isLast) process.exit(message.type === 'result' ? 0 : 1)
  })
}
