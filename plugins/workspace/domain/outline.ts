import { LIMITS } from './limits.ts'
import { type Section, sectionsOf } from './section.ts'
import { countChars } from './short-text.ts'

/** The sections of one text, in order. */
export interface Outline {
  readonly size: number
  at(index: number): Section
  /** The section with this path. */
  find(path: string): Section | undefined
  /** The smallest section that a target can name alone and that holds these characters, heading included. */
  around(from: number, to: number): Section | undefined
  /** Whether a heading begins at this character. */
  startsAt(offset: number): boolean
}

/** An outline as it moves between threads: a few buffers, however many sections there are. */
export interface PackedOutline {
  /** Every path between line feeds, which no path contains. */
  readonly paths: string
  /** Where each path begins in `paths`, and where the last one ends. */
  readonly places: Uint32Array
  /** Seven numbers for each section, in the order of `FIELDS`. */
  readonly numbers: Uint32Array
}

const FIELDS = 7

/** Finds the sections of a text, which takes time in proportion to its length. */
export function packOutline(text: string): PackedOutline {
  const sections = sectionsOf(text)
  const places = new Uint32Array(sections.length + 1)
  const numbers = new Uint32Array(sections.length * FIELDS)
  let place = 1
  sections.forEach((section, index) => {
    places[index] = place
    place += section.path.length + 1
    const { level, line, lines, start, end, bytes, isSole } = section
    numbers.set([level, line, lines, start, end, bytes, Number(isSole)], index * FIELDS)
  })
  places[sections.length] = place
  return { paths: `\n${sections.map(({ path }) => `${path}\n`).join('')}`, places, numbers }
}

/** Reads a packed outline in place: no work for sections that nothing asks for. */
export function unpackOutline({ paths, places, numbers }: PackedOutline): Outline {
  const size = places.length - 1
  const number = (index: number, field: number): number => numbers[index * FIELDS + field] ?? 0
  const at = (index: number): Section => ({
    path: paths.slice(places[index], (places[index + 1] ?? 0) - 1),
    level: number(index, 0),
    line: number(index, 1),
    lines: number(index, 2),
    start: number(index, 3),
    end: number(index, 4),
    bytes: number(index, 5),
    isSole: number(index, 6) === 1,
  })
  const start = (index: number): number => number(index, 3)
  return {
    size,
    at,
    find(path) {
      const found = path.includes('\n') ? -1 : paths.indexOf(`\n${path}\n`)
      return found < 0 ? undefined : at(indexOf(size, (index) => places[index] ?? 0, found + 1))
    },
    around(from, to) {
      const last = size === 0 ? -1 : indexOf(size, start, from)
      for (let index = last; index >= 0; index -= 1) {
        const holds = start(index) <= from && number(index, 4) >= to
        // Text put right in front of a heading belongs to the section before.
        const isBefore = start(index) === from && from === to
        if (!holds || isBefore || number(index, 6) !== 1) continue
        const found = at(index)
        if (canBeNamed(found)) return found
      }
      return undefined
    },
    startsAt(offset) {
      return size > 0 && start(indexOf(size, start, offset)) === offset
    },
  }
}

/** Deep headings can make a path that is longer than a target may be. */
function canBeNamed({ path }: Section): boolean {
  return countChars(`section:${path}`) <= LIMITS.targetChars
}

/** The outline of a text, worked out here and now. */
export function outlineOf(text: string): Outline {
  return unpackOutline(packOutline(text))
}

/** The last index whose rising `value` is at most `wanted`; 0 if there is none. */
function indexOf(size: number, value: (index: number) => number, wanted: number): number {
  let [low, high] = [0, size - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (value(middle) <= wanted) low = middle
    else high = middle - 1
  }
  return low
}
