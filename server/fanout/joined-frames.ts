const CRLF = Buffer.from('\r\n')
/** Distinct joins kept before all are forgotten: readers in step need one or two. */
const MAX_KEPT = 64

/** The same frames as the bytes of one write, shared by every reader that is sent exactly these frames. */
export interface JoinedFrames {
  /** The frames one after the other. */
  plain(): Buffer
  /** The same, wrapped as one chunk of `Transfer-Encoding: chunked`. */
  chunk(): Buffer
}

export interface Joiner {
  /** `frames` must not be empty and is never changed afterwards. */
  join(frames: readonly Buffer[]): JoinedFrames
  /** Lets go of every Buffer kept for sharing. */
  forget(): void
}

/**
 * Joins frames once for all readers in step: a second call with the very same Buffers in the same order gives the
 * first one's bytes. Compared by identity, so that readers with other filters never share by accident.
 */
export function createJoiner(): Joiner {
  const kept = new Map<Buffer, { frames: readonly Buffer[]; joined: JoinedFrames }>()
  return {
    join(frames) {
      const [first] = frames
      if (first === undefined) throw new TypeError('nothing to join')
      const found = kept.get(first)
      if (found && sameFrames(found.frames, frames)) return found.joined
      if (kept.size >= MAX_KEPT) kept.clear()
      const joined = joinedFrames(frames)
      kept.set(first, { frames, joined })
      return joined
    },
    forget: () => kept.clear(),
  }
}

function sameFrames(a: readonly Buffer[], b: readonly Buffer[]): boolean {
  return a.length === b.length && a.every((frame, at) => frame === b[at])
}

/** The bytes of one write, made when first asked for. */
export function joinedFrames(frames: readonly Buffer[]): JoinedFrames {
  let plain: Buffer | undefined
  let chunk: Buffer | undefined
  return {
    plain() {
      plain ??= frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames)
      return plain
    },
    chunk() {
      if (chunk) return chunk
      const length = frames.reduce((sum, frame) => sum + frame.length, 0)
      chunk = Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), ...frames, CRLF])
      return chunk
    },
  }
}
