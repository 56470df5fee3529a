/** Maximum number of frames queued for one reader (spec workspace-events, "Ordering and fanout"). */
export const MAILBOX_FRAMES = 64

export interface MailboxBounds {
  /** Absent: 64. */
  readonly maxFrames?: number
  /** Absent: limited only by the number of frames. */
  readonly maxBytes?: number
}

/** Shared by all idle readers, so that they need no list of their own; never changed. */
const NONE: Buffer[] = []

/**
 * The queue of one reader. It never blocks: a frame that does not fit empties the queue and marks it lagged, and all
 * further frames are dropped until the reader is notified. Owned by one reader of the pump. A class, because every
 * event touches thousands of queues and closures would need more memory for each.
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

  /** Reports whether `frame` fits. A frame larger than the byte limit fits into an empty queue. */
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
    // A list created with its first element has capacity for one, which is enough for most readers.
    if (this.#frames.length === 0) this.#frames = [frame]
    else this.#frames.push(frame)
    this.#bytes += frame.length
  }

  /** Empties the queue and returns its frames, oldest first. */
  take(): readonly Buffer[] {
    const taken = this.#frames
    this.#frames = NONE
    this.#bytes = 0
    return taken
  }

  /** Accepts frames again, after the reader was notified of the loss. */
  resume(): void {
    this.#lagged = false
  }
}
