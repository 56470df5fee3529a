import { setTimeout as timer } from 'node:timers/promises'
import { isSatchelError, type Log, type SatchelError } from '../../../server/plugin.ts'

const FIRST_MS = 500
const LONGEST_MS = 30_000

/** What has to be corrected: a worker that never reached its queue ends with it. */
const TO_BE_CORRECTED = new Set([
  'storage_client_missing',
  'storage_password',
  'storage_no_database',
  'storage_denied',
  'storage_encryption',
  'storage_certificate',
  'storage_encoding',
  'storage_not_migrated',
  'storage_schema_older',
  'storage_schema_newer',
])

/** The failures of a worker's queue. */
export interface QueueFaults {
  /** The one that lasts. */
  readonly last: SatchelError | undefined
  /** Waits, longer each time. Rejects with `thrown` where it has to be corrected. */
  wait(thrown: unknown): Promise<void>
  /** The queue was reached. */
  over(): void
}

/** `wait` never rejects. */
export function createQueueFaults(
  log: Log,
  signal: AbortSignal,
  wait: (ms: number) => Promise<unknown> = (ms) => timer(ms, undefined, { signal }).catch(() => undefined),
): QueueFaults {
  let [ms, isReached] = [FIRST_MS, false]
  let last: SatchelError | undefined
  return {
    get last() {
      return last
    },
    async wait(thrown) {
      if (!isSatchelError(thrown) || thrown.code === 'conflict' || thrown.code === 'invalid') throw thrown
      if (!isReached && TO_BE_CORRECTED.has(thrown.reason)) throw thrown
      if (signal.aborted) return
      const { reason, message } = thrown
      // Without its stack, and once: a fault may last for days.
      if (last?.message !== message)
        log.warn('a worker could not read from its queue', { reason, problem: message })
      last = thrown
      await wait(ms)
      ms = Math.min(LONGEST_MS, ms * 2)
    },
    over() {
      if (last) log.info('a worker reads from its queue again')
      ;[ms, isReached, last] = [FIRST_MS, true, undefined]
    },
  }
}
