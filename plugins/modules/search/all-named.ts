import { FIELDS } from './keyword-document.ts'
import type { TextIndex } from './text-index.ts'

const INPUT_NAMES = FIELDS.indexOf('varnames')

/** The texts that have each of these terms among the names of their inputs. */
export function textsNamingAll(texts: Pick<TextIndex, 'postings'>, terms: readonly string[]): number[] {
  let left: readonly number[] | undefined
  for (const term of new Set(terms)) {
    const { length, texts: found, fields } = texts.postings(term)
    const having = new Set<number>()
    for (let at = 0; at < length; at++) if (fields[at] === INPUT_NAMES) having.add(found[at] ?? 0)
    left = left ? left.filter((text) => having.has(text)) : [...having]
    if (left.length === 0) break
  }
  return [...(left ?? [])]
}
