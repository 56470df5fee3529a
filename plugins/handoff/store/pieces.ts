/** Collects bytes behind one another, in few pieces: thousands of small buffers take more memory than their bytes. */
export interface Pieces {
  /** Adds bytes. Returns where they are among all. */
  add(bytes: Buffer): number
  /** All bytes in their order, valid until `clear`. */
  pieces(): readonly Buffer[]
  /** Forgets the bytes and keeps their room for others. */
  clear(): void
}

const PIECE_BYTES = 64 * 1024

export function createPieces(): Pieces {
  const all: Buffer[] = []
  let size = 0
  const pieceAt = (at: number): Buffer => {
    const piece = all[at] ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
    all[at] = piece
    return piece
  }
  return {
    add(bytes) {
      const begin = size
      for (let from = 0; from < bytes.length; ) {
        const copied = bytes.copy(pieceAt(Math.floor(size / PIECE_BYTES)), size % PIECE_BYTES, from)
        size += copied
        from += copied
      }
      return begin
    },
    pieces: () =>
      all
        .slice(0, Math.ceil(size / PIECE_BYTES))
        .map((piece, at) => piece.subarray(0, size - at * PIECE_BYTES)),
    clear() {
      size = 0
    },
  }
}
