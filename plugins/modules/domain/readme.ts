/** The README of a module directory. */
import { onceFor } from '../../../server/plugin.ts'
import { type Opening, openingOf } from './description.ts'

/** Longest stored text. design modules 8 */
export const README_MAX_BYTES = 256 * 1024

/** Endings in the order of preference; `''` is a bare `README`. */
const ENDINGS = ['.md', '.markdown', '.rst', '.txt', '']

/** The name that is the README among the regular files of one directory (names in any case), or undefined. */
export function findReadme(names: readonly string[]): string | undefined {
  for (const ending of ENDINGS) {
    const matches = names.filter((name) => name.toLowerCase() === `readme${ending}`)
    const [first] = matches.sort((a, b) => (a < b ? -1 : 1))
    if (first !== undefined) return first
  }
  return undefined
}

/** A README's raw text, and what it offers as a description. */
export interface ReadReadme {
  readonly text: string
  readonly opening: Opening
}

/** Reads a README, each blob once. */
export const readReadme: (bytes: Uint8Array) => ReadReadme = onceFor((bytes) => {
  const text = readmeText(bytes)
  return { text, opening: openingOf(text) }
})

/** The raw text of a README: at most 256 KiB of UTF-8, never ending inside a character. */
export function readmeText(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const cut = bytes.subarray(0, README_MAX_BYTES)
  return decoder.decode(cut, { stream: bytes.length >= README_MAX_BYTES })
}
