import { tooMany } from '../domain/refusal.ts'

/** Counts the calls of each key, in windows of one minute that begin with a call. */
export interface Rate {
  /** Errors: `rate_limited`/`limit_exceeded` above the limit. */
  count(key: string): void
}

const WINDOW_MS = 60_000
const MAX_COUNTERS = 1000

/** At most `limit` calls a minute for each key; kept in memory only. */
export function createRate(limit: number, elapsedMs = () => performance.now()): Rate {
  const calls = new Map<string, { since: number; count: number }>()
  return {
    count(key) {
      const now = elapsedMs()
      const window = calls.get(key)
      if (!window || now - window.since >= WINDOW_MS) {
        if (calls.size >= MAX_COUNTERS) calls.clear()
        calls.set(key, { since: now, count: 1 })
        return
      }
      window.count += 1
      if (window.count <= limit) return
      throw tooMany('calls in a minute', limit, Math.ceil((WINDOW_MS - (now - window.since)) / 1000))
    },
  }
}
