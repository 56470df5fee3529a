import type { ServerResponse } from 'node:http'
import { refusals } from './refusals.ts'

/** The calls that a listener has not answered yet. Owned by the listener. */
export interface CallsInFlight {
  /** Aborts if the connection closes before the answer is written. */
  begin(outgoing: ServerResponse): AbortSignal
  /** Errors: `unavailable`/`stopping` once `refuseNew` was called. */
  requireOpen(): void
  refuseNew(): void
  /** Resolves when no call is in flight. */
  idle(): Promise<void>
}

/** Creates the counter without calls. */
export function createCallsInFlight(): CallsInFlight {
  const calls = new Set<AbortController>()
  const waiting: (() => void)[] = []
  let open = true
  return {
    begin(outgoing) {
      const controller = new AbortController()
      calls.add(controller)
      outgoing.once('close', () => {
        calls.delete(controller)
        if (!outgoing.writableFinished) controller.abort()
        if (calls.size === 0) for (const wake of waiting.splice(0)) wake()
      })
      return controller.signal
    },
    requireOpen() {
      if (!open) throw refusals.stopping()
    },
    refuseNew() {
      open = false
    },
    idle: () => (calls.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  }
}
