/** Callers that are remembered; the one that called least recently is forgotten first. */
const MAX_CALLERS = 10_000
/** A caller may save up this many seconds of calls. */
const BURST_S = 2

/** Counts the calls of each caller. */
export interface RateLimit {
  /** Takes one call. Returns the seconds until the next one is allowed, or 0 if this one is. */
  take(caller: string): number
}

interface Bucket {
  tokens: number
  at: number
}

/** Allows `perSecond` calls of each caller, and bursts of two seconds' worth. `clock`: milliseconds of a monotonic clock. */
export function createRateLimit(perSecond: number, clock: () => number): RateLimit {
  const capacity = Math.max(1, perSecond * BURST_S)
  const buckets = new Map<string, Bucket>()
  return {
    take(caller) {
      const now = clock()
      const { tokens: saved, at } = buckets.get(caller) ?? { tokens: capacity, at: now }
      const tokens = Math.min(capacity, saved + ((now - at) / 1000) * perSecond)
      const allowed = tokens >= 1
      buckets.delete(caller) // the map keeps the order of the last calls
      buckets.set(caller, { tokens: allowed ? tokens - 1 : tokens, at: now })
      const [oldest] = buckets.keys()
      if (buckets.size > MAX_CALLERS && oldest !== undefined) buckets.delete(oldest)
      return allowed ? 0 : (1 - tokens) / perSecond
    },
  }
}
