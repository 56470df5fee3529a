import { firstChars } from './short-text.ts'

/** A line that holds every word. */
export interface FoundLine {
  /** 1-based. */
  readonly line: number
  /** Character offset of its first character. */
  readonly start: number
  /** At most 240 characters, around the first word. */
  readonly text: string
}

const SHOWN_CHARS = 240
const BEFORE_CHARS = 80
const MAX_WORDS = 20

/** The words of a query, in lower case. */
export function wordsOf(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
}

export function holdsWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}

/** The first lines that hold every word of a query, at most `limit`. */
export function linesWith(text: string, query: string, limit: number): readonly FoundLine[] {
  const words = wordsOf(query)
  const found: FoundLine[] = []
  let start = 0
  let line = 1
  for (const raw of text.split('\n')) {
    if (found.length === limit) break
    if (holdsWords(raw, words)) found.push({ line, start, text: shown(raw, words[0] ?? '') })
    start += raw.length + 1
    line += 1
  }
  return found
}

/** The first line of each text that holds every word of a query; empty where none does. At most 240 characters. */
export function firstLinesWith(texts: readonly string[], query: string): readonly string[] {
  const words = wordsOf(query)
  return texts.map((text) => {
    if (!holdsWords(text, words)) return ''
    const line = text.split('\n').find((raw) => holdsWords(raw, words))
    return line === undefined ? '' : shown(line, words[0] ?? '')
  })
}

/**
 * The same for versions of one text, the newest first: only lines that the next newer version does not have, so that a
 * line is found once and not in every version that had it. None of the newest.
 */
export function formerLinesWith(texts: readonly string[], query: string): readonly string[] {
  const words = wordsOf(query)
  const linesOf = (text: string): readonly string[] =>
    holdsWords(text, words) ? text.split('\n').filter((raw) => holdsWords(raw, words)) : []
  let next = new Set(linesOf(texts[0] ?? ''))
  return texts.map((text) => {
    const lines = linesOf(text)
    const line = lines.find((raw) => !next.has(raw))
    next = new Set(lines)
    return line === undefined ? '' : shown(line, words[0] ?? '')
  })
}

function shown(line: string, word: string): string {
  const from = Math.max(0, line.toLowerCase().indexOf(word) - BEFORE_CHARS)
  return firstChars(line.slice(from).trim(), SHOWN_CHARS)
}
