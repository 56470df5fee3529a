import { findHeadings, type Heading, nextLineEnd } from './heading.ts'

/** A heading with everything below it. */
export interface Section {
  /** `Architecture/Goals`: unique in its document; `/` in a heading is `%2F`, a repeated path ends in `#2`, `#3`. */
  readonly path: string
  readonly level: number
  /** False when another section reads alike, so that the number in its path depends on the order. */
  readonly isSole: boolean
  /** 1-based line of the heading, and the lines of the span. */
  readonly line: number
  readonly lines: number
  /** Character offsets: the span runs to the next heading of the same or a higher level. */
  readonly start: number
  readonly end: number
  /** Of the span, as UTF-8. */
  readonly bytes: number
}

/** Every section of a document, in order. Takes time in proportion to the text: `Analysis` keeps what was found. */
export function sectionsOf(text: string): readonly Section[] {
  const headings = findHeadings(text)
  const nexts = nextOutside(headings)
  const total = countLines(text)
  const paths = pathsOf(headings)
  const counts = new Map<string, number>()
  for (const { name } of paths) counts.set(name, (counts.get(name) ?? 0) + 1)
  return headings.map(({ level, line, start }, index) => {
    const { path, name } = paths[index] ?? { path: '', name: '' } // one for each heading
    const next = nexts[index]
    const end = next?.start ?? text.length
    const lines = (next?.line ?? total + 1) - line
    const bytes = Buffer.byteLength(text.slice(start, end))
    return { path, level, isSole: counts.get(name) === 1, line, lines, start, end, bytes }
  })
}

/** `name` is the path without its numbers: several sections may share it. */
function pathsOf(headings: readonly Heading[]): readonly { readonly path: string; readonly name: string }[] {
  const taken = new Map<string, number>()
  const open: { level: number; path: string; name: string }[] = []
  return headings.map((heading) => {
    while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop()
    const parent = open.at(-1)
    const own = segment(heading.text)
    const wanted = parent ? `${parent.path}/${own}` : own
    const path = firstFree(wanted, taken)
    // Mostly the same text, which is made and hashed once.
    const name = parent && parent.name !== parent.path ? `${parent.name}/${own}` : wanted
    taken.set(path, 1)
    open.push({ level: heading.level, path, name })
    return { path, name }
  })
}

function segment(text: string): string {
  return text === '' ? '(untitled)' : text.replaceAll('/', '%2F')
}

/** The path, or with the first free number behind it; `taken` remembers where to go on, so repeats cost no search. */
function firstFree(path: string, taken: Map<string, number>): string {
  let number = taken.get(path) ?? 0
  if (number === 0) return path
  do number += 1
  while (taken.has(`${path}#${number}`))
  taken.set(path, number)
  return `${path}#${number}`
}

/** For each heading the one with which its span ends; absent: it runs to the end of the text. */
function nextOutside(headings: readonly Heading[]): readonly (Heading | undefined)[] {
  const nexts: (Heading | undefined)[] = headings.map(() => undefined)
  const open: { level: number; index: number }[] = []
  headings.forEach((heading, index) => {
    while ((open.at(-1)?.level ?? 0) >= heading.level) {
      const closed = open.pop()
      if (closed) nexts[closed.index] = heading
    }
    open.push({ level: heading.level, index })
  })
  return nexts
}

/** Lines of a text, whose last one may lack its end. */
function countLines(text: string): number {
  let lines = 0
  for (let at = 0; at < text.length; at = nextLineEnd(text, at).after) lines += 1
  return lines
}
