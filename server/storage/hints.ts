import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Hint } from '../contract/advanced/database.ts'
import type { Log } from '../contract/context.ts'

/** What a connection that listens tells. */
export interface HintEvents {
  told(payload: string): void
  ended(): void
}

export interface HintParts {
  readonly place: string
  readonly log: Log
  /** Opens a connection that hears what is committed from now on. */
  open(events: HintEvents): Promise<{ close(): Promise<void> }>
  /** Sends a hint on another connection. */
  send(hint: Hint): Promise<unknown>
  readonly times?: Partial<typeof TIMES>
}

/** The hints of a database: what they tell of is asked for as without them, so that a missed one costs a wait only. */
export interface Hints {
  /** `about` is undefined where any hint may have been missed. */
  on(topic: string, listener: (about: string | undefined) => void): void
  /** Begins to listen, if it did not; goes on until `close`. */
  listen(): void
  counts(): { readonly listening: number; readonly hints: number }
  close(): Promise<void>
}

const TIMES = { firstPauseMs: 500, longestPauseMs: 60_000, echoEveryMs: 60_000, echoLimitMs: 5_000 }
const ECHO = 'echo'
const SILENT =
  'notifications of the database do not arrive, as behind a pooler of transactions: changes are looked for once a second'

/**
 * Opens nothing yet. A connection that says nothing may be lost, be given to others by a pooler, or lead to a server that was the
 * primary: it counts while it brings what this process itself sends.
 */
export function createHints({ place, log, open, send, times }: HintParts): Hints {
  const { firstPauseMs, longestPauseMs, echoEveryMs, echoLimitMs } = { ...TIMES, ...times }
  const listeners = new Map<string, ((about: string | undefined) => void)[]>()
  const own = randomUUID()
  let [isClosed, isListening, isWarned, hints] = [false, false, false, 0]
  let keeping: Promise<void> | undefined
  /** Aborts when the connection ends, or the pause before the next one. */
  let present = new AbortController()
  let onEcho = (): void => {}

  const told = (payload: string): void => {
    const [topic = '', about] = payload.split(' ', 2)
    if (topic === ECHO && about === own) onEcho()
    if (topic === ECHO) return
    hints += 1
    for (const listener of listeners.get(topic) ?? []) listener(about)
  }
  const pause = (ms: number, { signal }: AbortController): Promise<boolean> =>
    wait(ms, false, { signal, ref: false }).catch(() => false)
  const isEchoed = async (line: AbortController): Promise<boolean> => {
    const echo = new Promise<boolean>((resolve) => {
      onEcho = () => resolve(true)
    })
    await send({ topic: ECHO, about: own })
    return Promise.race([echo, pause(echoLimitMs, line)])
  }
  /** Hears as long as the connection brings echoes. False: it never did. */
  const hear = async (line: AbortController): Promise<boolean> => {
    while (!line.signal.aborted && (await isEchoed(line))) {
      if (!isListening) for (const listener of [...listeners.values()].flat()) listener(undefined)
      isListening = true
      await pause(echoEveryMs, line)
    }
    if (!line.signal.aborted && !isWarned) log.warn(SILENT, { place })
    isWarned ||= !line.signal.aborted
    return isListening
  }
  const hearOnce = async (): Promise<boolean> => {
    const line = new AbortController()
    present = line
    const { close } = await open({ told, ended: () => line.abort() })
    try {
      return await hear(line)
    } finally {
      isListening = false
      await close().catch(() => undefined)
    }
  }
  const keep = async (): Promise<void> => {
    for (let ms = firstPauseMs; !isClosed; ) {
      const wasHeard = await hearOnce().catch(() => false) // the next statement of the pool says what is wrong
      ms = wasHeard ? firstPauseMs : Math.min(ms * 2, longestPauseMs)
      present = new AbortController()
      if (!isClosed) await pause(ms, present)
    }
  }
  return {
    on: (topic, listener) => void listeners.set(topic, [...(listeners.get(topic) ?? []), listener]),
    listen() {
      keeping ??= keep() // never rejects
    },
    counts: () => ({ listening: isListening ? 1 : 0, hints }),
    async close() {
      isClosed = true
      present.abort()
      await keeping
    },
  }
}
