import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

/** One connection of its own, with one statement at a time. */
export interface Line {
  run(text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly isOpen: () => boolean
  close(): Promise<void>
}

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 40

/**
 * Locks of the server by name, all on one connection of this process: work that waits for a lock keeps no connection from
 * the work that has it. PostgreSQL frees the locks of a connection that ends.
 */
export function createLockLine(open: () => Promise<Line>) {
  let opening: Promise<Line> | undefined
  /** The end of the last holder in this process, by name: a connection gets a lock twice that it already has. */
  const last = new Map<string, Promise<unknown>>()

  const line = async (): Promise<Line> => {
    const known = await opening?.catch(() => undefined)
    if (known?.isOpen()) return known
    opening = open()
    return opening
  }
  const tried = async (held: Line, key: string): Promise<boolean> => {
    try {
      const [row] = await held.run('select pg_try_advisory_lock($1::bigint) as got', [key])
      return row?.['got'] === true
    } catch (thrown) {
      if (held.isOpen()) throw thrown
      return false // another connection may get it
    }
  }
  const take = async (key: string, untilMs: number): Promise<Line | undefined> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const held = await line()
      if (await tried(held, key)) return held
      if (performance.now() >= untilMs) return undefined
      await pause(pauseMs)
    }
  }
  return {
    async locked<T>(
      name: string,
      limitMs: number,
      action: () => Promise<T>,
    ): Promise<{ readonly value: T } | undefined> {
      const untilMs = performance.now() + limitMs
      const before = last.get(name)
      let end = (): void => {}
      const mine = new Promise<void>((resolve) => {
        end = resolve
      })
      const chain = Promise.all([before, mine])
      last.set(name, chain)
      try {
        if (before && !(await endsWithin(before, limitMs))) return undefined
        const key = keyOf(name)
        const held = await take(key, untilMs)
        if (!held) return undefined
        try {
          return { value: await action() }
        } finally {
          // On a connection that has ended the server freed it.
          await held.run('select pg_advisory_unlock($1::bigint)', [key]).catch(() => undefined)
        }
      } finally {
        end()
        if (last.get(name) === chain) last.delete(name)
      }
    },
    async close(): Promise<void> {
      const known = await opening?.catch(() => undefined)
      await known?.close()
    },
  }
}

async function endsWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const timer = new AbortController()
  const over = pause(limitMs, false, { signal: timer.signal }).catch(() => false)
  try {
    return await Promise.race([work.then(() => true), over])
  } finally {
    timer.abort()
  }
}

function keyOf(name: string): string {
  return createHash('sha256').update(`satchel ${name}`).digest().readBigInt64BE(0).toString()
}
