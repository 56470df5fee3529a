import type { IncomingMessage, ServerResponse } from 'node:http'

/** Of requests whose client waits for `100 Continue` before it sends its body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Notes that a client waits: it is answered immediately where its body is refused unread. */
export function noteWaiting(incoming: IncomingMessage, outgoing: ServerResponse): void {
  waiting.set(incoming, outgoing)
}

/** Asks a client that waits for its body. */
export function askForBody(incoming: IncomingMessage): void {
  waiting.get(incoming)?.writeContinue()
  waiting.delete(incoming)
}

/** Reports whether a client still waits: it may send its body or not, so that nothing can follow on its connection. */
export function isWaiting(incoming: IncomingMessage): boolean {
  return waiting.has(incoming)
}
