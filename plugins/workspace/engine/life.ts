import { isSatchelError, type Log, type SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** Whether a store is usable. Neither poison nor close can be undone. */
export interface Life {
  readonly poisoned: AbortSignal
  /** Errors: `unavailable`/`store_poisoned`, `unavailable`/`room_not_running`. */
  assertUsable(): void
  /** Keeps the first reason. */
  poison(reason: unknown): SatchelError
  close(): void
}

export function createLife(log: Log): Life {
  const stop = new AbortController()
  let error: SatchelError | undefined
  let isClosed = false
  return {
    poisoned: stop.signal,
    assertUsable: () => {
      if (error) throw error
      if (isClosed) throw refusals.room_closed()
    },
    poison: (reason) => {
      if (error) return error
      error =
        isSatchelError(reason) && reason.reason === 'store_poisoned'
          ? reason
          : refusals.store_poisoned({ cause: reason })
      log.error('The room stopped: its disk or its lock failed', { error: String(reason) })
      stop.abort(error)
      return error
    },
    close: () => {
      isClosed = true
    },
  }
}
