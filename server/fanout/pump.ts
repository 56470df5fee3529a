import { createJoiner, type JoinedFrames } from './joined-frames.ts'
import { createMailbox, type MailboxBounds } from './mailbox.ts'

/** Readers served before the event loop gets its turn back (workspace-engine, section 4). */
const READERS_PER_TURN = 256
/** A reader that takes nothing for so long is gone (workspace-engine, section 4). */
export const BLOCKED_LIMIT_MS = 30_000

/** Where one reader's bytes go. */
export interface Sink {
  /** False: full; the owner calls `drained()` when there is room again. */
  write(joined: JoinedFrames): boolean
  /** Cuts the reader off; the owner then calls `close()`. */
  destroy(): void
}

/** Runs `action` after `ms` milliseconds; gives the function that calls it off. A test passes its own. */
export type After = (ms: number, action: () => void) => () => void

/** Node's timers; a waiting one keeps no process alive. */
export const afterTimeout: After = (ms, action) => {
  const timer = setTimeout(action, ms).unref()
  return () => clearTimeout(timer)
}

export interface ReaderOptions extends MailboxBounds {
  readonly sink: Sink
  /** Sent in place of lost frames once there is room; undefined cuts the reader off. Absent: cut off at the overflow. */
  onLag?(): Buffer | undefined
}

/** One reader of the pump; its owner closes it. */
export interface PumpReader {
  readonly blocked: boolean
  /** Never waits. A full mailbox of a reader that is not blocked is written out at once: a burst ends no healthy stream. */
  offer(frame: Buffer): void
  /** Keeps frames back (history goes first) until `release`. */
  hold(): void
  release(): void
  /** The sink refused a write of the owner's own. */
  block(): void
  /** The sink has room again. */
  drained(): void
  /** Everything that still waits, for a last write; the reader is closed. */
  close(): readonly Buffer[]
}

export interface Pump {
  readonly size: number
  add(options: ReaderOptions): PumpReader
}

/**
 * Writes to many readers: one write per reader and turn of the event loop with everything that waits for it, at
 * most 256 readers a turn; readers in step share the joined bytes. Frames are taken out before the result of the
 * write is looked at, else one would go out twice. A reader blocked for 30 s is destroyed.
 */
export function createPump(after: After = afterTimeout): Pump {
  const joiner = createJoiner()
  let waiting: (() => void)[] = []
  let scheduled = false
  let size = 0

  const schedule = (flush: () => void): void => {
    waiting.push(flush)
    if (scheduled) return
    scheduled = true
    setImmediate(turn)
  }
  const turn = (): void => {
    const served = waiting.slice(0, READERS_PER_TURN)
    waiting = waiting.slice(READERS_PER_TURN)
    for (const flush of served) flush()
    scheduled = waiting.length > 0
    if (scheduled) setImmediate(turn)
    else joiner.forget()
  }

  return {
    get size() {
      return size
    },
    add(options) {
      size += 1
      const left = (): void => {
        size -= 1
      }
      return createReader(options, { after, schedule, left, join: joiner.join })
    },
  }
}

interface PumpParts {
  readonly after: After
  readonly schedule: (flush: () => void) => void
  readonly left: () => void
  readonly join: (frames: readonly Buffer[]) => JoinedFrames
}

function createReader(options: ReaderOptions, pump: PumpParts): PumpReader {
  const { sink } = options
  const mailbox = createMailbox(options)
  let state: 'open' | 'blocked' | 'closed' = 'open'
  let held = false
  let queued = false
  let forgetBlocked: (() => void) | undefined

  const block = (): void => {
    if (state !== 'open') return
    state = 'blocked'
    forgetBlocked = pump.after(BLOCKED_LIMIT_MS, () => sink.destroy())
  }
  const unblock = (): void => {
    forgetBlocked?.()
    forgetBlocked = undefined
  }
  const next = (): readonly Buffer[] | undefined => {
    if (!mailbox.lagged) return mailbox.take()
    mailbox.resume()
    const told = options.onLag?.()
    return told && [told]
  }
  const write = (): void => {
    if (state !== 'open' || held) return
    const frames = next()
    if (frames === undefined) sink.destroy()
    else if (frames.length > 0 && !sink.write(pump.join(frames))) block()
  }
  const flush = (): void => {
    queued = false
    write()
  }
  const wake = (): void => {
    if (queued || state !== 'open' || held) return
    queued = true
    pump.schedule(flush)
  }

  return {
    get blocked() {
      return state === 'blocked'
    },
    offer(frame) {
      if (state === 'closed' || mailbox.lagged) return
      if (!mailbox.fits(frame)) write()
      mailbox.offer(frame)
      if (mailbox.lagged && !options.onLag) sink.destroy()
      else wake()
    },
    hold() {
      held = true
    },
    release() {
      held = false
      wake()
    },
    block,
    drained() {
      if (state !== 'blocked') return
      unblock()
      state = 'open'
      wake()
    },
    close() {
      if (state === 'closed') return []
      state = 'closed'
      unblock()
      pump.left()
      return mailbox.take()
    },
  }
}
