/** Bytes that grow as they are written. */
export interface ByteWriter {
  readonly length: number
  /** A whole number from 0 to 2^32 - 1, in as few bytes of seven bits as it needs. */
  number(value: number): void
  bytes(value: Uint8Array): void
  /** What was written; shares memory until the next write. */
  written(): Uint8Array
}

export function createByteWriter(): ByteWriter {
  let held = new Uint8Array(1024)
  let length = 0
  const room = (more: number): void => {
    if (length + more <= held.length) return
    const grown = new Uint8Array(Math.max(length + more, held.length * 2))
    grown.set(held.subarray(0, length))
    held = grown
  }
  return {
    get length() {
      return length
    },
    number(value) {
      room(5)
      let left = value
      for (; left > 127; left >>>= 7) held[length++] = (left & 127) | 128
      held[length++] = left
    },
    bytes(value) {
      room(value.length)
      held.set(value, length)
      length += value.length
    },
    written: () => held.subarray(0, length),
  }
}

/** What is read next of bytes that a `ByteWriter` wrote. */
export interface Place {
  bytes: Uint8Array
  at: number
}

/** The number at a place, which moves behind it. Most take one byte, and a search decodes tens of thousands of them. */
export function numberAt(place: Place): number {
  const { bytes } = place
  let byte = bytes[place.at++] ?? 0
  if (byte < 128) return byte
  let value = byte & 127
  for (let shift = 7; byte >= 128; shift += 7) {
    byte = bytes[place.at++] ?? 0
    value |= (byte & 127) << shift
  }
  return value >>> 0
}

const PIECE_BYTES = 2 ** 20

/** Bytes in pieces that stay where they are: what grows in one piece is copied again and again. */
export interface PiecesWriter {
  readonly length: number
  bytes(value: Uint8Array): void
  /** What was written; the last piece shares memory until the next write. */
  pieces(): readonly Uint8Array[]
}

export function createPiecesWriter(): PiecesWriter {
  const full: Uint8Array[] = []
  let piece = new Uint8Array(0)
  let used = 0
  let length = 0
  return {
    get length() {
      return length
    },
    bytes(value) {
      length += value.length
      if (used + value.length > piece.length) {
        if (used > 0) full.push(piece.subarray(0, used))
        piece = new Uint8Array(Math.max(PIECE_BYTES, value.length))
        used = 0
      }
      piece.set(value, used)
      used += value.length
    },
    pieces: () => (used === 0 ? full : [...full, piece.subarray(0, used)]),
  }
}
