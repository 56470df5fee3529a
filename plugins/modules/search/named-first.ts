import { FIELDS, NAMED_FIELDS } from './keyword-document.ts'
import type { KeywordIndex } from './keyword-index.ts'
import type { PlannedName } from './planned-names.ts'
import type { SearchIndex } from './search-index.ts'

/** A query that is one name: modules with an input, output or resource of that name fill the upper half. */
const SURE = 0.5
/** Words that form a name may mean something else, the more so the more modules have it. */
const LIKELY = 0.25

/** Raises candidates that have an input, output or resource of a name that the query has. */
export function putNamedFirst(
  scores: Float64Array,
  rows: Int32Array,
  names: readonly PlannedName[],
  { index, words: { texts } }: { readonly index: SearchIndex; readonly words: KeywordIndex },
): void {
  if (names.length === 0) return
  const raised = raisedTexts(texts, names)
  const left = names.some(({ isSure, share }) => isSure && share === 1) ? 1 - SURE : 1
  const textOf = index.texts()
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? -1
    const score = scores[at] ?? 0
    const by = row >= 0 ? (raised[textOf[row] ?? 0] ?? 0) : 0
    scores[at] = by > 0 ? by + (1 - by) * score : left * score
  }
}

/** How far each text is raised, by its number; 0 for one without a name. */
function raisedTexts(texts: KeywordIndex['texts'], names: readonly PlannedName[]): Float64Array {
  const raised = new Float64Array(texts.bound)
  for (const name of names) {
    const named = textsNamed(texts, name.term)
    const by = name.share * (name.isSure ? SURE : LIKELY * rarity(named.size, texts.texts))
    for (const text of named) raised[text] = Math.max(raised[text] ?? 0, by)
  }
  return raised
}

function textsNamed(texts: KeywordIndex['texts'], term: string): ReadonlySet<number> {
  const { length, texts: found, fields } = texts.postings(term)
  const named = new Set<number>()
  for (let at = 0; at < length; at++)
    if (NAMED_FIELDS.has(FIELDS[fields[at] ?? 0] ?? '')) named.add(found[at] ?? 0)
  return named
}

/** 1 for what one of many has, 0 for what all have. */
function rarity(count: number, all: number): number {
  return 1 - Math.log(Math.max(1, count)) / Math.log(Math.max(2, all))
}
