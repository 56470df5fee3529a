/** The README of a module directory. */
import { onceFor } from './once-for.ts'
import { type Prose, readProse } from './prose.ts'

/** Stored text ends here. design modules 8 */
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

/** What a README says: its raw text, and what of it is prose. */
export interface ReadReadme {
  readonly text: string
  readonly prose: Prose
}

/** Reads a README, each blob once. */
export const readReadme: (bytes: Uint8Array) => ReadReadme = onceFor((bytes) => {
  const text = readmeText(bytes)
  return { text, prose: readProse(text) }
})

/** The raw text of a README: at most 256 KiB of UTF-8, never ending inside a character. */
export function readmeText(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const cut = bytes.subarray(0, README_MAX_BYTES)
  return decoder.decode(cut, { stream: bytes.length >= README_MAX_BYTES })
}
