/** Frames that wait for one reader (spec workspace-events, "Ordering and fanout"). */
export const MAILBOX_FRAMES = 64

export interface MailboxBounds {
  /** Absent: 64. */
  readonly maxFrames?: number
  /** Absent: bounded by the number of frames alone. */
  readonly maxBytes?: number
}

/** Never written to: an idle reader holds no list of its own. */
const NONE: Buffer[] = []

/**
 * What waits for one reader. It never waits itself: a frame that does not fit empties it and marks it lagged, and
 * from then on everything is dropped until the reader was told. Owned by one reader of the pump. A class, because
 * thousands are touched at every event and closures would cost each one more memory to reach.
 */
export class Mailbox {
  readonly #maxFrames: number
  readonly #maxBytes: number
  #frames = NONE
  #bytes = 0
  #lagged = false

  constructor(bounds: MailboxBounds = {}) {
    this.#maxFrames = bounds.maxFrames ?? MAILBOX_FRAMES
    this.#maxBytes = bounds.maxBytes ?? Number.POSITIVE_INFINITY
  }

  get size(): number {
    return this.#frames.length
  }

  get lagged(): boolean {
    return this.#lagged
  }

  /** Whether `frame` goes in without an overflow. A frame above the byte bound passes when nothing else waits. */
  fits(frame: Buffer): boolean {
    const { length } = this.#frames
    return length === 0 || (length < this.#maxFrames && this.#bytes + frame.length <= this.#maxBytes)
  }

  offer(frame: Buffer): void {
    if (this.#lagged) return
    if (!this.fits(frame)) {
      this.take()
      this.#lagged = true
      return
    }
    // A list made with its first frame has room for one: most readers wait for one.
    if (this.#frames.length === 0) this.#frames = [frame]
    else this.#frames.push(frame)
    this.#bytes += frame.length
  }

  /** Everything that waits, oldest first; afterwards nothing waits. */
  take(): readonly Buffer[] {
    const taken = this.#frames
    this.#frames = NONE
    this.#bytes = 0
    return taken
  }

  /** The reader was told that frames are lost: new ones are taken again. */
  resume(): void {
    this.#lagged = false
  }
}
