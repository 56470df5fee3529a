import type { QueueRows } from './queue-rows.ts'

/** A claim that is kept while its worker works. The worker that took it ends it with `stop`. */
export interface Lease {
  /** Aborts once another worker has the repository. */
  readonly signal: AbortSignal
  stop(): void
}

/** Beats within one lease, so that a lost one ends nothing. */
const BEATS = 4

/**
 * Prolongs a claim until it is stopped. A database that does not answer ends nothing: whether the claim still holds is
 * asked by the statement that publishes.
 */
export function keepLease(queue: Pick<QueueRows, 'renew'>, id: string, leaseMs: number): Lease {
  const lost = new AbortController()
  const beat = async (): Promise<void> => {
    if (!(await queue.renew(id))) lost.abort()
  }
  const timer = setInterval(() => {
    beat().catch(() => undefined) // the next beat tries again
  }, leaseMs / BEATS)
  timer.unref()
  return { signal: lost.signal, stop: () => clearInterval(timer) }
}
