import { findHeadings } from './heading.ts'
import { invalidRegion, type Target } from './target.ts'

/** A heading with everything below it. */
export interface Section {
  /** `Architecture/Goals`: unique in its document; `/` in a heading is `%2F`, a repeated path ends in `#2`, `#3`. */
  readonly path: string
  readonly level: number
  /** The path without its numbers: several sections may share it. */
  readonly name: string
  /** 1-based line of the heading. */
  readonly line: number
  /** Character offsets: the span runs to the next heading of the same or a higher level. */
  readonly start: number
  readonly end: number
}

/** Every section of a document, in order. */
export function outline(text: string): readonly Section[] {
  const headings = findHeadings(text)
  const ends = spanEnds(headings, text.length)
  const taken = new Map<string, number>()
  const open: { level: number; path: string; name: string }[] = []
  return headings.map((heading, index) => {
    while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop()
    const parent = open.at(-1)
    const own = segment(heading.text)
    const path = firstFree(parent ? `${parent.path}/${own}` : own, taken)
    const name = parent ? `${parent.name}/${own}` : own
    taken.set(path, 1)
    open.push({ level: heading.level, path, name })
    return {
      path,
      name,
      level: heading.level,
      line: heading.line,
      start: heading.start,
      end: ends[index] ?? text.length,
    }
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

function spanEnds(headings: readonly { level: number; start: number }[], length: number): readonly number[] {
  const ends: number[] = []
  const open: { level: number; index: number }[] = []
  headings.forEach(({ level, start }, index) => {
    while ((open.at(-1)?.level ?? 0) >= level) {
      const closed = open.pop()
      if (closed) ends[closed.index] = start
    }
    open.push({ level, index })
  })
  for (const { index } of open) ends[index] = length
  return ends
}

/**
 * The text of a target.
 * Errors: `invalid`/`invalid_region` when the document has no such section.
 */
export function readTarget(text: string, target: Target): string {
  if (target.kind === 'workspace') return text
  const { start, end } = findSection(text, target.path)
  return text.slice(start, end)
}

/**
 * The document with a target's text replaced. A line end is added where the next heading would otherwise stick to
 * the new text, and one more where it would be swallowed by it: an underlined heading by the paragraph before, any by
 * an HTML block. Nothing else changes by a byte.
 * Errors: `invalid`/`invalid_region`.
 */
export function writeTarget(text: string, target: Target, content: string): string {
  if (target.kind === 'workspace') return content
  const { start, end } = findSection(text, target.path)
  const before = text.slice(0, start) + content
  const rest = text.slice(end)
  if (rest === '') return before
  const sticks = content !== '' && !/[\n\r]$/.test(content)
  const ended = sticks ? before + lineEndOf(text) : before
  const apart = ended + lineEndOf(text)
  // A code fence or comment that the new text leaves open swallows the rest either way.
  const head = [ended, apart].find((one) => hasHeadingAt(one + rest, one.length)) ?? ended
  return head + rest
}

function hasHeadingAt(text: string, offset: number): boolean {
  return findHeadings(text).some(({ start }) => start === offset)
}

/** The sections with a unique heading, by path: such a path does not depend on earlier sections. */
export function soleSections(text: string): ReadonlyMap<string, Section> {
  const sections = outline(text)
  const counts = new Map<string, number>()
  for (const { name } of sections) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    sections.filter(({ name }) => counts.get(name) === 1).map((section) => [section.path, section]),
  )
}

function findSection(text: string, path: string): Section {
  const section = outline(text).find((one) => one.path === path)
  if (!section) throw invalidRegion(`section:${path}`)
  return section
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Names, levels and sizes of the sections down to `maxDepth`, as `workspace_outline` returns them. */
export function outlineRows(text: string, maxDepth: number): readonly OutlineRow[] {
  return outline(text)
    .filter(({ level }) => level <= maxDepth)
    .map(({ path, level, line, start, end }) => ({
      target: `section:${path}`,
      level,
      line,
      lines: countLines(text, start, end),
      bytes: Buffer.byteLength(text.slice(start, end)),
    }))
}

export interface OutlineRow {
  readonly target: string
  readonly level: number
  readonly line: number
  readonly lines: number
  readonly bytes: number
}

function countLines(text: string, start: number, end: number): number {
  return text.slice(start, end).split(/\r\n|\n|\r/).length - (/[\n\r]$/.test(text.slice(start, end)) ? 1 : 0)
}
