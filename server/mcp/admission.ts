import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server'

/** Concurrent calls; the next line waits (mcp, section 10). */
const MAX_IN_FLIGHT = 64

/** The queue in front of the handlers: at most 64 requests run, the others wait in order. */
export interface Admission {
  /** Text of what waits, in characters. */
  readonly waitingChars: number
  offer(message: JSONRPCMessage, chars: number): void
  /** A request was answered: the next one may run. */
  answered(id: string | number): void
  /** Delivers what may run now. */
  pump(): void
  /** Resolved when nothing waits and nothing runs. */
  idle(): Promise<void>
}

/** An empty queue that hands messages to `deliver` while `hasRoom`. */
export function createAdmission(
  deliver: (message: JSONRPCMessage) => void,
  hasRoom: () => boolean,
): Admission {
  const running = new Set<string>()
  const waiting: { readonly message: JSONRPCMessage; readonly chars: number }[] = []
  let waitingChars = 0
  let idlers: (() => void)[] = []

  const mayRun = (message: JSONRPCMessage): boolean =>
    hasRoom() && !(isRequest(message) && running.size >= MAX_IN_FLIGHT)
  const run = (message: JSONRPCMessage): void => {
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) running.delete(keyOf(cancelled)) // nobody answers a cancelled request
    if (isRequest(message)) running.add(keyOf(message.id))
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
        run(message) // it overtakes the lines that wait for the very call it ends
      } else {
        waiting.push({ message, chars })
        waitingChars += chars
      }
      pump()
    },
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

/** True for what has to be answered. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message
}

/** The request a `notifications/cancelled` names. */
export function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** 1 and "1" are different requests. */
function keyOf(id: string | number): string {
  return JSON.stringify(id)
}
