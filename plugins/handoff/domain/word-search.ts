/** Calls `found` for each place of each word in a text, in the order of places; ASCII letters in any case. */
export type WordSearch<T> = (text: string, found: Found<T>) => void
type Found<T> = (entry: T, at: number) => void

interface Word<T> {
  readonly units: Uint8Array
  readonly entry: T
  /** Words that go on from this one. */
  readonly longer: Word<T>[]
}

/** Sorts of characters, in 5 bits: each letter, digits, three groups of signs, and all others. */
const SORT_BITS = 5
const LETTERS = 26
const ALL_SORTS = -1
const SORTS = Uint8Array.from({ length: 256 }, (_, unit) => sortOf(String.fromCharCode(unit)))
const LOWER = Uint8Array.from({ length: 256 }, (_, unit) =>
  unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit,
)
/** As many as three characters of any sorts. */
const BEGINNINGS = 1 << (3 * SORT_BITS)

/** Names are short, and there are many: they share one buffer. */
const shared = Buffer.alloc(1024)

/**
 * One pass over a text for all words, which are of ASCII in lower case and have two characters or more. Three
 * characters, and the sort of the fourth, tell at most places that no word begins there. Of a unit only the low byte is
 * looked at.
 */
export function createWordSearch<T>(words: Iterable<readonly [word: string, entry: T]>): WordSearch<T> {
  const none: Word<T>[] = []
  const lists = [none]
  /** The list of the words with a beginning; 0 is none. */
  const listOf = new Uint16Array(BEGINNINGS)
  /** The sorts of the fourth characters of each list, as bits. */
  const fourths: number[] = [0]
  /** How many characters of its words a beginning tells: three letters, or none. */
  const told: number[] = [0]
  for (const [word, entry] of [...words].sort(([a], [b]) => a.length - b.length)) {
    const units = Buffer.from(word, 'latin1')
    for (const beginning of beginningsOf(units)) {
      const list = listOf[beginning] || lists.push([]) - 1
      listOf[beginning] = list
      addWord(lists[list] ?? none, { units, entry, longer: [] })
      fourths[list] = (fourths[list] ?? 0) | (units.length < 4 ? ALL_SORTS : 1 << sort(units[3]))
      told[list] = areLetters(beginning) ? 3 : 0
    }
  }
  const fourthsOf = Int32Array.from(fourths)
  return (text, found) => {
    const units = text.length < shared.length ? shared : Buffer.allocUnsafe(text.length + 1)
    const size = units.write(text, 'latin1')
    units[size] = 0
    let beginning = 0
    for (let at = 0; at < size; at++) {
      beginning = ((beginning << SORT_BITS) | sort(units[at])) & (BEGINNINGS - 1)
      const list = listOf[beginning] ?? 0
      if (list === 0 || (((fourthsOf[list] ?? 0) >> sort(units[at + 1])) & 1) === 0) continue
      visit(lists[list] ?? none, units, at - 2, told[list] ?? 0, found)
    }
  }
}

/** The first three characters of a word; any third one after two. */
function beginningsOf([first, second, third]: Uint8Array): readonly number[] {
  const two = (sort(first) << (2 * SORT_BITS)) | (sort(second) << SORT_BITS)
  if (third !== undefined) return [two | sort(third)]
  return Array.from({ length: 1 << SORT_BITS }, (_, any) => two | any)
}

/** True if the sorts of all three characters are letters. */
function areLetters(beginning: number): boolean {
  return [2, 1, 0].every((place) => {
    const sort = (beginning >> (place * SORT_BITS)) & (2 ** SORT_BITS - 1)
    return sort > 0 && sort <= LETTERS
  })
}

/** Words come by their length. */
function addWord<T>(words: Word<T>[], word: Word<T>): void {
  const shorter = words.find(({ units }) => isAt(units, word.units, 0, 0))
  if (shorter) addWord(shorter.longer, word)
  else words.push(word)
}

/** Visits the words at a place, of which `from` characters are known to be there. */
function visit<T>(
  words: readonly Word<T>[],
  units: Uint8Array,
  at: number,
  from: number,
  found: Found<T>,
): void {
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    if (word === undefined || !isAt(word.units, units, at, from)) continue
    found(word.entry, at)
    if (word.longer.length > 0) visit(word.longer, units, at, word.units.length, found)
  }
}

function isAt(word: Uint8Array, units: Uint8Array, at: number, from: number): boolean {
  for (let index = from; index < word.length; index++) {
    if (LOWER[units[at + index] ?? 0] !== word[index]) return false
  }
  return true
}

function sort(unit = 0): number {
  return SORTS[unit] ?? 0
}

function sortOf(char: string): number {
  if (/[a-z]/i.test(char)) return char.charCodeAt(0) & 0x1f
  const signs = [/[0-9]/, /[-_]/, /[:/.]/, /[~<=]/].findIndex((sign) => sign.test(char))
  return signs < 0 ? 0 : 27 + signs
}
