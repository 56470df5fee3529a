import type { After } from '../after.ts'

/** A clock of timers that a test fires itself. */
export function manualAfter() {
  const waiting = new Set<{ ms: number; action: () => void }>()
  const after: After = (ms, action) => {
    const timer = { ms, action }
    waiting.add(timer)
    return () => waiting.delete(timer)
  }
  /** Those of so many milliseconds; absent: all. */
  const fire = (ms?: number): void => {
    for (const timer of [...waiting])
      if ((ms === undefined || timer.ms === ms) && waiting.delete(timer)) timer.action()
  }
  return { after, waiting, fire }
}
