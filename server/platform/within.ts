import { setTimeout as pause } from 'node:timers/promises'

/** Work that is told by its signal that it is over, also where it was late. */
interface EndingWork<T> {
  readonly signal: AbortSignal
  work(signal: AbortSignal): Promise<T>
}

/** As `within`. The signal of the work aborts with `signal`, and when the caller has its answer. */
export async function endedWithin<T>(
  limitMs: number,
  late: () => Error,
  { signal, work }: EndingWork<T>,
): Promise<T> {
  const ending = new AbortController()
  try {
    return await within(limitMs, late, async () => work(AbortSignal.any([signal, ending.signal])))
  } finally {
    ending.abort()
  }
}

/** Resolves as `work` does; rejects with the error of `late` after `limitMs`. The work itself cannot be ended. */
export async function within<T>(limitMs: number, late: () => Error, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs)
  })
  try {
    return await Promise.race([work(), over])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for the end of `work`, at most `limitMs`; false if it goes on then. Errors: those of the work. */
export async function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController()
  const over = pause(limitMs, false, { signal: ended.signal }).catch(() => false)
  try {
    return await Promise.race([work.then(() => true), over])
  } finally {
    ended.abort()
  }
}
