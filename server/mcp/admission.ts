import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server'
import { isJsonObject } from '../platform/json-object.ts'

/** Maximum number of concurrent calls (mcp, section 10). */
const MAX_IN_FLIGHT = 64

/** The queue of requests: at most 64 run concurrently, the others wait in order. */
export interface Admission {
  /** Total length of the queued text in characters. */
  readonly waitingChars: number
  offer(message: JSONRPCMessage, chars: number): void
  /** Reports whether a request with this id is queued or runs. */
  knows(id: string | number): boolean
  /** Records that a request was answered, and runs the next one. */
  answered(id: string | number): void
  /** Delivers the messages that may run now. */
  pump(): void
  /** Resolves when no request is queued or running. */
  idle(): Promise<void>
}

/** Creates an empty queue that passes messages to `deliver` while `hasRoom` is true. */
export function createAdmission(
  deliver: (message: JSONRPCMessage) => void,
  hasRoom: () => boolean,
): Admission {
  const running = new Set<string>()
  const queued = new Set<string>()
  const waiting: { readonly message: JSONRPCMessage; readonly chars: number }[] = []
  let waitingChars = 0
  let idlers: (() => void)[] = []

  const mayRun = (message: JSONRPCMessage): boolean =>
    hasRoom() && !(isRequest(message) && running.size >= MAX_IN_FLIGHT)
  const run = (message: JSONRPCMessage): void => {
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) running.delete(keyOf(cancelled)) // a cancelled request gets no answer
    if (isRequest(message)) {
      queued.delete(keyOf(message.id))
      running.add(keyOf(message.id))
    }
    deliver(message)
  }
  const pump = (): void => {
    for (let next = waiting[0]; next && mayRun(next.message); next = waiting[0]) {
      waiting.shift()
      waitingChars -= next.chars
      run(next.message)
    }
    if (waiting.length > 0 || running.size > 0) return
    const resolved = idlers
    idlers = []
    for (const resolve of resolved) resolve()
  }

  return {
    get waitingChars() {
      return waitingChars
    },
    offer(message, chars) {
      const cancelled = cancelledId(message)
      if (cancelled !== undefined && running.has(keyOf(cancelled))) {
        run(message) // deliver a cancellation before queued requests, which may wait for the call it ends
      } else {
        if (isRequest(message)) queued.add(keyOf(message.id))
        waiting.push({ message, chars })
        waitingChars += chars
      }
      pump()
    },
    knows: (id) => running.has(keyOf(id)) || queued.has(keyOf(id)),
    answered(id) {
      running.delete(keyOf(id))
      pump()
    },
    pump,
    idle() {
      if (waiting.length === 0 && running.size === 0) return Promise.resolve()
      return new Promise((resolve) => idlers.push(resolve))
    },
  }
}

/** Reports whether a message requires an answer. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message
}

/** Returns the id of the request that a `notifications/cancelled` names. */
export function cancelledId(message: unknown): string | number | undefined {
  if (!isJsonObject(message) || message['method'] !== 'notifications/cancelled') return undefined
  const { params } = message
  const id = isJsonObject(params) ? params['requestId'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** Returns a key that distinguishes the ids 1 and "1". */
function keyOf(id: string | number): string {
  return JSON.stringify(id)
}
