import type { After } from './after.ts'
import type { JoinedFrames } from './joined-frames.ts'
import { Mailbox, type MailboxBounds } from './mailbox.ts'

/** Time after which a blocked reader is disconnected (workspace-engine, section 4). */
export const BLOCKED_LIMIT_MS = 30_000

/** The destination of one reader's bytes. */
export interface Sink {
  /** False: full; the owner calls `drained()` when the sink accepts bytes again. */
  write(joined: JoinedFrames): boolean
  /** Disconnects the reader; the owner then calls `close()`. */
  destroy(): void
}

export interface ReaderOptions extends MailboxBounds {
  readonly sink: Sink
  /** Returns the frame sent in place of lost frames; undefined disconnects the reader. Absent: disconnect at the overflow. */
  onLag?(): Buffer | undefined
}

/** The part of a pump that its readers use. */
export interface PumpTurns {
  readonly after: After
  /** Schedules `flush` of the reader for a later turn of the event loop. */
  schedule(reader: PumpReader): void
  join(frames: readonly Buffer[]): JoinedFrames
  left(): void
}

/** One reader of the pump; its owner closes it. A class for the same reason as `Mailbox`. */
export class PumpReader {
  readonly #sink: Sink
  readonly #onLag: ReaderOptions['onLag']
  readonly #pump: PumpTurns
  readonly #mailbox: Mailbox
  #state: 'open' | 'blocked' | 'closed' = 'open'
  #held = false
  #queued = false
  #forgetBlocked: (() => void) | undefined

  constructor(options: ReaderOptions, pump: PumpTurns) {
    this.#sink = options.sink
    this.#onLag = options.onLag
    this.#pump = pump
    this.#mailbox = new Mailbox(options)
  }

  get blocked(): boolean {
    return this.#state === 'blocked'
  }

  /** Never blocks. Writes a full mailbox immediately if the reader is not blocked, so that a burst ends no healthy stream. */
  offer(frame: Buffer): void {
    const mailbox = this.#mailbox
    if (this.#state === 'closed' || mailbox.lagged) return
    if (!mailbox.fits(frame)) this.#write()
    mailbox.offer(frame)
    if (mailbox.lagged && !this.#onLag) this.#sink.destroy()
    else this.#wake()
  }

  /** Holds frames until `release`, so that history is sent first. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#wake()
  }

  /** Records that a write of the owner filled the sink. */
  block(): void {
    if (this.#state !== 'open') return
    this.#state = 'blocked'
    this.#forgetBlocked = this.#pump.after(BLOCKED_LIMIT_MS, () => this.#sink.destroy())
  }

  /** Records that the sink accepts bytes again. */
  drained(): void {
    if (this.#state !== 'blocked') return
    this.#unblock()
    this.#state = 'open'
    this.#wake()
  }

  /** Closes the reader and returns the queued frames for a last write. */
  close(): readonly Buffer[] {
    if (this.#state === 'closed') return []
    this.#state = 'closed'
    this.#unblock()
    this.#pump.left()
    return this.#mailbox.take()
  }

  /** Writes the queued frames; called by the pump. */
  flush(): void {
    this.#queued = false
    this.#write()
  }

  #wake(): void {
    if (this.#queued || this.#state !== 'open' || this.#held) return
    this.#queued = true
    this.#pump.schedule(this)
  }

  #write(): void {
    if (this.#state !== 'open' || this.#held) return
    const frames = this.#next()
    if (frames === undefined) this.#sink.destroy()
    else if (frames.length > 0 && !this.#sink.write(this.#pump.join(frames))) this.block()
  }

  #next(): readonly Buffer[] | undefined {
    if (!this.#mailbox.lagged) return this.#mailbox.take()
    this.#mailbox.resume()
    const told = this.#onLag?.()
    return told && [told]
  }

  #unblock(): void {
    this.#forgetBlocked?.()
    this.#forgetBlocked = undefined
  }
}
