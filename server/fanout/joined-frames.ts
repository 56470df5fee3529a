const CRLF = Buffer.from('\r\n')
/** Maximum number of cached joins; readers at the same position need one or two. */
const MAX_KEPT = 64

/** The bytes of one write, shared by all readers that receive exactly these frames. */
export interface JoinedFrames {
  /** The concatenated frames. */
  plain(): Buffer
  /** The frames as one chunk of `Transfer-Encoding: chunked`. */
  chunk(): Buffer
}

export interface Joiner {
  /** `frames` must not be empty and is never changed afterwards. */
  join(frames: readonly Buffer[]): JoinedFrames
  /** Releases all cached Buffers. */
  forget(): void
}

/**
 * Caches joined frames: a second call with the same Buffers in the same order returns the bytes of the first call.
 * Buffers are compared by identity, so that readers with different filters never share bytes.
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

/** Creates the bytes of one write at the first use. */
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
