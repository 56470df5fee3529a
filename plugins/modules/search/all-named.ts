import { FIELDS } from './keyword-document.ts'
import type { TextIndex } from './text-index.ts'

const INPUT_NAMES = FIELDS.indexOf('varnames')

/** The texts that have each of these terms among the names of their inputs. */
export function textsNamingAll(texts: Pick<TextIndex, 'postings'>, terms: readonly string[]): number[] {
  // Rarest first: few texts are left when the terms that many have are read.
  const found = Array.from(new Set(terms), (term) => texts.postings(term)).sort((a, b) => a.length - b.length)
  let left: Set<number> | undefined
  for (const { length, texts: having, fields } of found) {
    const still = new Set<number>()
    for (let at = 0; at < length; at++) {
      const text = having[at] ?? 0
      if (fields[at] === INPUT_NAMES && left?.has(text) !== false) still.add(text)
    }
    left = still
    if (left.size === 0) break
  }
  return [...(left ?? [])]
}
