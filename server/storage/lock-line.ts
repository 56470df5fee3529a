import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { openPromise } from '../platform/open-promise.ts'
import { endsWithin } from '../platform/within.ts'

/** One connection of its own, with one text at a time. */
export interface Line {
  /** Gives the rows of the last statement of a text. */
  run(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly isOpen: () => boolean
  close(): Promise<void>
}

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 40

/** A holder may work for longer than a role may leave a transaction idle. */
const BEGIN = 'begin isolation level read committed; set local idle_in_transaction_session_timeout to 0'

/**
 * Locks of the server by name, all on one connection of this process: work that waits for a lock keeps no connection from
 * the work that has it. PostgreSQL frees the locks of a connection that ends. While a lock is tried or held a transaction
 * is open, which a pooler of transactions leaves on one connection of the server: elsewhere a lock could not be freed,
 * and two processes on one connection would both get it.
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
  /** The tries and holders on a connection, counted when their texts are sent, which is in order. */
  const inside = new WeakMap<Line, number>()
  const leave = async (held: Line, ...statements: readonly string[]): Promise<void> => {
    const left = (inside.get(held) ?? 1) - 1
    inside.set(held, left)
    const texts = [...statements, ...(left === 0 ? ['commit'] : [])]
    if (texts.length > 0) await held.run(texts.join('; '))
  }
  const tried = async (held: Line, key: string): Promise<boolean> => {
    const others = inside.get(held) ?? 0
    inside.set(held, others + 1)
    try {
      const [row] = await held.run(
        `${others === 0 ? `${BEGIN}; ` : ''}select pg_try_advisory_lock(${key}) as got`,
      )
      if (row?.['got'] === true) return true
      await leave(held)
      return false
    } catch (thrown) {
      if (!held.isOpen()) return false // another connection may get it
      await held.close() // its transaction has failed, and nothing can follow in it
      throw thrown
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
      const { promise: mine, resolve: end } = openPromise<void>()
      const chain = Promise.all([before, mine])
      last.set(name, chain)
      try {
        if (before && !(await endsWithin(limitMs, before))) return undefined
        const key = keyOf(name)
        const held = await take(key, untilMs)
        if (!held) return undefined
        try {
          return { value: await action() }
        } finally {
          // On a connection that has ended the server freed it.
          await leave(held, `select pg_advisory_unlock(${key})`).catch(() => undefined)
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

/** A whole number, written into the texts: several statements take no values. */
function keyOf(name: string): string {
  return createHash('sha256').update(`satchel ${name}`).digest().readBigInt64BE(0).toString()
}
