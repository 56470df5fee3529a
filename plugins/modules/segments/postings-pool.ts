/**
 * The occurrences of all terms of a segment while they are collected, in the bytes in which they are stored. Each term has a
 * chain of blocks in shared memory, small ones first: most terms are in one text, and a list of numbers for each would take
 * ten times as much.
 */
export interface PostingsPool {
  /** Adds a term without occurrences; terms are numbered from 0. */
  open(): number
  /** Adds a text, which is later than the last one of the term. `counts`: occurrences by field. */
  add(term: number, text: number, counts: readonly number[]): void
  /** How many texts have a term. */
  texts(term: number): number
  /** The postings of a term, in a buffer that the next call writes again. */
  bytes(term: number): Uint8Array
}

const PIECE_BITS = 20
const PIECE_BYTES = 2 ** PIECE_BITS
/** Bytes of the blocks of a chain; the last size goes on. Each ends with the address of the next. */
const BLOCK_BYTES = [12, 20, 36, 68, 132, 260] as const
const LINK_BYTES = 4
const MOST_COUNT = 0xffff

/** What is known of each term: columns of numbers. */
const COLUMNS = 6
const [TEXTS, LAST, HEAD, AT, LEFT, LEVEL] = [0, 1, 2, 3, 4, 5] as const

export function createPostingsPool(): PostingsPool {
  const pieces: Uint8Array[] = []
  let free = PIECE_BYTES // nothing is left of no piece
  let known = new Uint32Array(COLUMNS * 1024)
  let terms = 0
  const into: Room = { bytes: new Uint8Array(1024) }

  const blockOf = (size: number): number => {
    if (free + size > PIECE_BYTES) {
      pieces.push(new Uint8Array(PIECE_BYTES))
      free = 0
    }
    const address = (pieces.length - 1) * PIECE_BYTES + free
    free += size
    return address
  }
  const put = (term: number, byte: number): void => {
    const row = term * COLUMNS
    if (known[row + LEFT] === 0) grow(row)
    const at = known[row + AT] ?? 0
    const piece = pieces[at >>> PIECE_BITS]
    if (piece) piece[at & (PIECE_BYTES - 1)] = byte
    known[row + AT] = at + 1
    known[row + LEFT] = (known[row + LEFT] ?? 0) - 1
  }
  const grow = (row: number): void => {
    const level = (known[row + LEVEL] ?? 0) + 1
    const size = sizeOf(level)
    const next = blockOf(size)
    link(pieces, known[row + AT] ?? 0, next)
    known[row + AT] = next
    known[row + LEFT] = size - LINK_BYTES
    known[row + LEVEL] = level
  }
  const number = (term: number, value: number): void => {
    let left = value
    for (; left > 127; left >>>= 7) put(term, (left & 127) | 128)
    put(term, left)
  }
  return {
    open() {
      if ((terms + 1) * COLUMNS > known.length) known = doubled(known)
      const row = terms * COLUMNS
      const head = blockOf(sizeOf(0))
      known[row + HEAD] = head
      known[row + AT] = head
      known[row + LEFT] = sizeOf(0) - LINK_BYTES
      return terms++
    },
    add(term, text, counts) {
      const row = term * COLUMNS
      number(term, text - (known[row + LAST] ?? 0))
      known[row + TEXTS] = (known[row + TEXTS] ?? 0) + 1
      known[row + LAST] = text
      number(term, maskOf(counts))
      for (const count of counts) if (count > 0) number(term, Math.min(count, MOST_COUNT))
    },
    texts: (term) => known[term * COLUMNS + TEXTS] ?? 0,
    bytes(term) {
      const row = term * COLUMNS
      const chain = {
        head: known[row + HEAD] ?? 0,
        level: known[row + LEVEL] ?? 0,
        left: known[row + LEFT] ?? 0,
      }
      return bytesOfChain(pieces, chain, into)
    },
  }
}

interface Chain {
  readonly head: number
  /** The size of its last block, and how many bytes of that are unused. */
  readonly level: number
  readonly left: number
}

/** A buffer that becomes larger where it must. */
interface Room {
  bytes: Uint8Array<ArrayBuffer>
}

function bytesOfChain(pieces: readonly Uint8Array[], { head, level, left }: Chain, into: Room): Uint8Array {
  let block = head
  let length = 0
  for (let at = 0; at <= level; at++) {
    const size = sizeOf(at) - LINK_BYTES
    const used = at === level ? size - left : size
    while (into.bytes.length < length + used) into.bytes = doubledBytes(into.bytes)
    const from = block & (PIECE_BYTES - 1)
    const piece = pieces[block >>> PIECE_BITS] ?? into.bytes
    into.bytes.set(piece.subarray(from, from + used), length)
    length += used
    if (at < level) block = linkAt(piece, from + size)
  }
  return into.bytes.subarray(0, length)
}

function sizeOf(level: number): number {
  return BLOCK_BYTES[Math.min(level, BLOCK_BYTES.length - 1)] ?? 0
}

function maskOf(counts: readonly number[]): number {
  let mask = 0
  for (let field = 0; field < counts.length; field++) if (counts[field]) mask |= 1 << field
  return mask >>> 0
}

/** Writes the address of the next block at the end of one. */
function link(pieces: readonly Uint8Array[], address: number, next: number): void {
  const piece = pieces[address >>> PIECE_BITS]
  const at = address & (PIECE_BYTES - 1)
  for (let byte = 0; byte < LINK_BYTES; byte++) if (piece) piece[at + byte] = next >>> (8 * byte)
}

function linkAt(piece: Uint8Array, at: number): number {
  let next = 0
  for (let byte = LINK_BYTES - 1; byte >= 0; byte--) next = next * 256 + (piece[at + byte] ?? 0)
  return next
}

function doubled(held: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(held.length * 2)
  grown.set(held)
  return grown
}

function doubledBytes(held: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(held.length * 2)
  grown.set(held)
  return grown
}
