import type { After } from './after.ts'
import type { JoinedFrames } from './joined-frames.ts'
import { Mailbox, type MailboxBounds } from './mailbox.ts'

/** A reader that takes nothing for so long is gone (workspace-engine, section 4). */
export const BLOCKED_LIMIT_MS = 30_000

/** Where one reader's bytes go. */
export interface Sink {
  /** False: full; the owner calls `drained()` when there is room again. */
  write(joined: JoinedFrames): boolean
  /** Cuts the reader off; the owner then calls `close()`. */
  destroy(): void
}

export interface ReaderOptions extends MailboxBounds {
  readonly sink: Sink
  /** Sent in place of lost frames once there is room; undefined cuts the reader off. Absent: cut off at the overflow. */
  onLag?(): Buffer | undefined
}

/** What a reader needs of its pump. */
export interface PumpTurns {
  readonly after: After
  /** Calls `flush` of the reader in a turn of its own. */
  schedule(reader: PumpReader): void
  join(frames: readonly Buffer[]): JoinedFrames
  left(): void
}

/** One reader of the pump; its owner closes it. A class for the reason `Mailbox` gives. */
export class PumpReader {
  readonly #options: ReaderOptions
  readonly #pump: PumpTurns
  readonly #mailbox: Mailbox
  #state: 'open' | 'blocked' | 'closed' = 'open'
  #held = false
  #queued = false
  #forgetBlocked: (() => void) | undefined

  constructor(options: ReaderOptions, pump: PumpTurns) {
    this.#options = options
    this.#pump = pump
    this.#mailbox = new Mailbox(options)
  }

  get blocked(): boolean {
    return this.#state === 'blocked'
  }

  /** Never waits. A full mailbox of a reader that is not blocked is written out at once: a burst ends no healthy stream. */
  offer(frame: Buffer): void {
    const mailbox = this.#mailbox
    if (this.#state === 'closed' || mailbox.lagged) return
    if (!mailbox.fits(frame)) this.#write()
    mailbox.offer(frame)
    if (mailbox.lagged && !this.#options.onLag) this.#options.sink.destroy()
    else this.#wake()
  }

  /** Keeps frames back (history goes first) until `release`. */
  hold(): void {
    this.#held = true
  }

  release(): void {
    this.#held = false
    this.#wake()
  }

  /** The sink refused a write of the owner's own. */
  block(): void {
    if (this.#state !== 'open') return
    this.#state = 'blocked'
    this.#forgetBlocked = this.#pump.after(BLOCKED_LIMIT_MS, () => this.#options.sink.destroy())
  }

  /** The sink has room again. */
  drained(): void {
    if (this.#state !== 'blocked') return
    this.#unblock()
    this.#state = 'open'
    this.#wake()
  }

  /** Everything that still waits, for a last write; the reader is closed. */
  close(): readonly Buffer[] {
    if (this.#state === 'closed') return []
    this.#state = 'closed'
    this.#unblock()
    this.#pump.left()
    return this.#mailbox.take()
  }

  /** The pump's turn for this reader. */
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
    const { sink } = this.#options
    const frames = this.#next()
    if (frames === undefined) sink.destroy()
    else if (frames.length > 0 && !sink.write(this.#pump.join(frames))) this.block()
  }

  #next(): readonly Buffer[] | undefined {
    if (!this.#mailbox.lagged) return this.#mailbox.take()
    this.#mailbox.resume()
    const told = this.#options.onLag?.()
    return told && [told]
  }

  #unblock(): void {
    this.#forgetBlocked?.()
    this.#forgetBlocked = undefined
  }
}
