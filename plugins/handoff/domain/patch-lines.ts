import { createHash } from 'node:crypto'
import { filePatchesOf, partsOf } from './patch-id.ts'

/** Characters of the key of one line: 3 bytes, so that among thousands of lines none is taken for another one. */
const KEY_CHARS = 4
/** A line of so many letters and digits tells one change of a file from another. */
const TELLING = /(?:[\p{L}\p{N}].*?){8}/u

/**
 * What a diff removes and adds, line by line, as keys without white space; a change without lines, as of a binary file, is
 * one key. Each depends on the file, and on how often the same line came before.
 */
export function lineKeysOf(diff: string): readonly string[] {
  const identities = filePatchesOf(diff)
  return partsOf(diff).flatMap(({ path, text }, at) => {
    const lines = changedLinesOf(text)
    if (lines.length === 0) return [keyOf(path, identities[at]?.id ?? '')]
    const seen = new Map<string, number>()
    return lines.map((line) => {
      const before = seen.get(line) ?? 0
      seen.set(line, before + 1)
      return keyOf(path, `${line}\n${before}`)
    })
  })
}

/** Whether what a diff changes in each file cannot be there by chance. */
export function isTelling(diff: string): boolean {
  return partsOf(diff).every(({ text }) => {
    const lines = changedLinesOf(text)
    return lines.length === 0 || lines.some((line) => TELLING.test(line))
  })
}

export function containedIn(keys: readonly string[], all: ReadonlySet<string>): boolean {
  return keys.length > 0 && keys.every((key) => all.has(key))
}

/** Keys that a record has as one text; undefined for what is none. */
export function keysIn(text: unknown): readonly string[] | undefined {
  const isWhole = typeof text === 'string' && /^(?:[A-Za-z0-9+/]{4})+$/.test(text)
  return isWhole ? (text.match(/.{4}/g) ?? undefined) : undefined
}

/** The changed lines of a part, each with its sign. */
function changedLinesOf(text: string): readonly string[] {
  const hunks = text.indexOf('\n@@ ')
  if (hunks < 0) return []
  const lines = text.slice(hunks).split('\n')
  return lines
    .filter((line) => line.startsWith('+') || line.startsWith('-'))
    .map((line) => line.replace(/\s+/g, ''))
    .filter((line) => line.length > 1)
}

function keyOf(path: string, line: string): string {
  return createHash('sha256').update(`${path}\n${line}`).digest('base64').slice(0, KEY_CHARS)
}
