import type { Log } from './contract/context.ts'

/** Identifies a change, without body and history. */
export type Signal =
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'task'; readonly taskId: string; readonly owners: readonly string[] }
  /** The principal lost its rights: its open streams are authenticated again. */
  | { readonly kind: 'caller'; readonly principalId: string }

export type Listener = (signal: Signal) => void

/** Passes signals of changes from plugins to doors. Lives as long as the host. */
export interface Hub {
  /** Synchronous, no I/O, never throws, never awaited by a mutation. Equal signals merge per turn of the event loop. */
  emit(signal: Signal): void
  /** Listens to one resource URI, task id or principal, or to all with `*`. Returns the function that removes the listener. */
  on(key: string, listener: Listener): () => void
  readonly listenerCount: number
}

/** Creates a hub that delivers at the end of the turn (`setImmediate`). A listener that throws is logged and removed. */
export function createHub(log: Log): Hub {
  const listeners = new Map<string, Set<Listener>>()
  let waiting = new Map<string, Signal>()

  const deliver = (key: string, signal: Signal): void => {
    for (const listener of listeners.get(key) ?? []) {
      try {
        listener(signal)
      } catch (thrown) {
        log.error('hub listener failed and was removed', { key, error: thrown })
        remove(key, listener)
      }
    }
  }

  const flush = (): void => {
    const batch = waiting
    waiting = new Map()
    for (const [key, signal] of batch) {
      deliver(key, signal)
      deliver('*', signal)
    }
  }

  const remove = (key: string, listener: Listener): void => {
    const set = listeners.get(key)
    set?.delete(listener)
    if (set?.size === 0) listeners.delete(key)
  }

  return {
    emit(signal) {
      if (waiting.size === 0) setImmediate(flush)
      waiting.set(keyOf(signal), signal)
    },
    on(key, listener) {
      const set = listeners.get(key) ?? new Set()
      set.add(listener)
      listeners.set(key, set)
      return () => remove(key, listener)
    },
    get listenerCount() {
      let count = 0
      for (const set of listeners.values()) count += set.size
      return count
    },
  }
}

function keyOf(signal: Signal): string {
  if (signal.kind === 'resource') return signal.uri
  return signal.kind === 'task' ? signal.taskId : signal.principalId
}
