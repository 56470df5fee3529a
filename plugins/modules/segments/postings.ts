import { numberAt, type Place } from './varint.ts'

/** Where a term occurs: one entry for each text and field. */
export interface Postings {
  readonly length: number
  readonly texts: Uint32Array
  readonly fields: Uint8Array
  readonly counts: Uint16Array
  /** Entries by field. */
  readonly inField: Uint32Array
  /** Texts by the first field, and by the last one, that has the term. */
  readonly byFirst: Uint32Array
  readonly byLast: Uint32Array
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
  const inField = new Uint32Array(MOST_FIELDS)
  const byFirst = new Uint32Array(MOST_FIELDS)
  const byLast = new Uint32Array(MOST_FIELDS)
  const place: Place = { bytes: new Uint8Array(0), at: 0 }
  const number = (): number => numberAt(place)
  const addFields = (text: number): void => {
    const { texts, fields, counts } = held
    const before = length
    for (let mask = number(), field = 0; mask !== 0; mask >>>= 1, field++) {
      if ((mask & 1) === 0) continue
      texts[length] = text
      fields[length] = field
      counts[length++] = number()
      inField[field] = (inField[field] ?? 0) + 1
    }
    const [first, last] = [fields[before] ?? 0, fields[length - 1] ?? 0]
    byFirst[first] = (byFirst[first] ?? 0) + 1
    byLast[last] = (byLast[last] ?? 0) + 1
  }
  const passFields = (): void => {
    for (let mask = number(); mask !== 0; mask >>>= 1) if ((mask & 1) === 1) number()
  }
  return {
    add(added, { isIn, bound }, base) {
      place.bytes = added
      place.at = 0
      for (let text = 0; place.at < added.length; ) {
        text += number()
        if (text >= bound) return
        if (length + MOST_FIELDS > held.texts.length) held = grown(held)
        if (isIn[text] === 1) addFields(base + text)
        else passFields()
      }
    },
    finish: () => ({ ...trimmed(held, length), inField, byFirst, byLast }),
  }
}

/** Fields of a text are bits of a number. */
const MOST_FIELDS = 32

/** Without room for more: what is kept of many terms would be mostly that. */
function trimmed({ texts, fields, counts }: Held, length: number): Held & { readonly length: number } {
  if (length === texts.length) return { texts, fields, counts, length }
  return {
    texts: texts.slice(0, length),
    fields: fields.slice(0, length),
    counts: counts.slice(0, length),
    length,
  }
}

type Held = Pick<Postings, 'texts' | 'fields' | 'counts'>

function emptyPostings(capacity: number): Held {
  return {
    texts: new Uint32Array(capacity),
    fields: new Uint8Array(capacity),
    counts: new Uint16Array(capacity),
  }
}

function grown(held: Held): Held {
  const larger = emptyPostings(held.texts.length * 2 + MOST_FIELDS)
  larger.texts.set(held.texts)
  larger.fields.set(held.fields)
  larger.counts.set(held.counts)
  return larger
}
