import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { refusals } from './refusals.ts'

/** The calls that a listener has not answered yet. Owned by the listener. */
export interface CallsInFlight {
  /** Aborts if the connection closes before the answer is written. */
  begin(outgoing: ServerResponse): AbortSignal
  /** Reports whether an answer on this connection has begun. */
  isAnswering(socket: Duplex): boolean
  /** Errors: `unavailable`/`stopping` once `refuseNew` was called. */
  requireOpen(): void
  refuseNew(): void
  /** Resolves when no call is in flight. */
  idle(): Promise<void>
  /** Closes the connections of the calls in flight, which aborts these. */
  cut(): void
}

/** Creates the counter without calls. */
export function createCallsInFlight(): CallsInFlight {
  const calls = new Map<ServerResponse, AbortController>()
  const waiting: (() => void)[] = []
  let open = true
  return {
    begin(outgoing) {
      const controller = new AbortController()
      calls.set(outgoing, controller)
      outgoing.once('close', () => {
        calls.delete(outgoing)
        if (!outgoing.writableFinished) controller.abort()
        if (calls.size === 0) for (const wake of waiting.splice(0)) wake()
      })
      return controller.signal
    },
    isAnswering: (socket) =>
      [...calls.keys()].some((outgoing) => outgoing.socket === socket && outgoing.headersSent),
    requireOpen() {
      if (!open) throw refusals.stopping()
    },
    refuseNew() {
      open = false
    },
    cut() {
      for (const outgoing of calls.keys()) outgoing.destroy()
    },
    idle: () => (calls.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  }
}
