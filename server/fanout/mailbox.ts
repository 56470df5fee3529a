/** Frames that wait for one reader (spec workspace-events, "Ordering and fanout"). */
export const MAILBOX_FRAMES = 64

/**
 * What waits for one reader. It never waits itself: a frame that does not fit empties it and marks it lagged, and
 * from then on everything is dropped until the reader was told. Owned by one reader of the pump.
 */
export interface Mailbox {
  readonly size: number
  readonly lagged: boolean
  /** Whether `frame` goes in without an overflow. A frame above the byte bound passes when nothing else waits. */
  fits(frame: Buffer): boolean
  offer(frame: Buffer): void
  /** Everything that waits, oldest first; afterwards nothing waits. */
  take(): readonly Buffer[]
  /** The reader was told that frames are lost: new ones are taken again. */
  resume(): void
}

export interface MailboxBounds {
  /** Absent: 64. */
  readonly maxFrames?: number
  /** Absent: bounded by the number of frames alone. */
  readonly maxBytes?: number
}

/** An empty mailbox. */
export function createMailbox(bounds: MailboxBounds = {}): Mailbox {
  const maxFrames = bounds.maxFrames ?? MAILBOX_FRAMES
  const maxBytes = bounds.maxBytes ?? Number.POSITIVE_INFINITY
  let frames: Buffer[] = []
  let bytes = 0
  let lagged = false

  const take = (): readonly Buffer[] => {
    const taken = frames
    frames = []
    bytes = 0
    return taken
  }
  const fits = (frame: Buffer): boolean =>
    frames.length === 0 || (frames.length < maxFrames && bytes + frame.length <= maxBytes)

  return {
    get size() {
      return frames.length
    },
    get lagged() {
      return lagged
    },
    fits,
    offer(frame) {
      if (lagged) return
      if (fits(frame)) {
        frames.push(frame)
        bytes += frame.length
      } else {
        take()
        lagged = true
      }
    },
    take,
    resume() {
      lagged = false
    },
  }
}
