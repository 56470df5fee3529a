import { createByteReader } from './varint.ts'

/** Where a term occurs: one entry for each text and field. */
export interface Postings {
  readonly length: number
  readonly texts: Uint32Array
  readonly fields: Uint8Array
  readonly counts: Uint16Array
}

/** Which texts of a segment a reader looks at: 1 for those, and a number above the last of them. */
export interface TextChoice {
  readonly isIn: Uint8Array
  readonly bound: number
}

/** Joins the postings of one term from several segments. */
export interface PostingsReader {
  /** Adds those of a segment whose texts are numbered from `base`. */
  add(bytes: Uint8Array, chosen: TextChoice, base: number): void
  finish(): Postings
}

/** `capacity`: entries that are expected. */
export function createPostingsReader(capacity: number): PostingsReader {
  let held = emptyPostings(Math.max(1, capacity))
  let length = 0
  const note = (text: number, field: number, count: number): void => {
    if (length === held.texts.length) held = grown(held)
    held.texts[length] = text
    held.fields[length] = field
    held.counts[length++] = count
  }
  return {
    add: (bytes, chosen, base) => decode(bytes, chosen, base, note),
    finish: () => ({ ...held, length }),
  }
}

function decode(
  bytes: Uint8Array,
  { isIn, bound }: TextChoice,
  base: number,
  note: (text: number, field: number, count: number) => void,
): void {
  const reader = createByteReader(bytes)
  for (let text = 0; !reader.isAtEnd; ) {
    text += reader.number()
    if (text >= bound) return
    const isChosen = isIn[text] === 1
    for (let mask = reader.number(), field = 0; mask !== 0; mask >>>= 1, field++) {
      if ((mask & 1) === 0) continue
      const count = reader.number()
      if (isChosen) note(base + text, field, count)
    }
  }
}

type Held = Omit<Postings, 'length'>

function emptyPostings(capacity: number): Held {
  return {
    texts: new Uint32Array(capacity),
    fields: new Uint8Array(capacity),
    counts: new Uint16Array(capacity),
  }
}

function grown(held: Held): Held {
  const larger = emptyPostings(held.texts.length * 2)
  larger.texts.set(held.texts)
  larger.fields.set(held.fields)
  larger.counts.set(held.counts)
  return larger
}
