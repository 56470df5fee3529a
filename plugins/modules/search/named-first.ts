import { FIELDS, NAMED_FIELDS } from './keyword-document.ts'
import type { KeywordIndex } from './keyword-index.ts'
import type { QueryPlan } from './query-plan.ts'
import type { SearchIndex } from './search-index.ts'

/** A query that is one name: modules of that name, and those with such an input, output or resource, fill the upper half. */
const SURE = 0.5
/** Words that form a name may mean something else, the more so the more modules have it. */
const LIKELY = 0.25

/** More modules have all words of a query among their inputs by chance. */
const MOST_TOGETHER = 20

/**
 * Raises candidates that have a name that the query has, or an input, output or resource of that name, and those of which the
 * names of inputs have all of its words.
 */
export function putNamedFirst(
  scores: Float64Array,
  rows: Int32Array,
  plan: Pick<QueryPlan, 'names' | 'inputs'>,
  { index, words: { texts } }: { readonly index: SearchIndex; readonly words: KeywordIndex },
): void {
  const raised = raisedTexts(plan, texts)
  if (!raised) return
  const left = plan.names.some(({ isSure, share }) => isSure && share === 1) ? 1 - SURE : 1
  const textOf = index.texts()
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? -1
    const score = scores[at] ?? 0
    const by = row >= 0 ? (raised[textOf[row] ?? 0] ?? 0) : 0
    scores[at] = by > 0 ? by + (1 - by) * score : left * score
  }
}

/** How far each text is raised that has what is named, by its number; 0 for others. */
function raisedTexts(
  { names, inputs }: Pick<QueryPlan, 'names' | 'inputs'>,
  texts: KeywordIndex['texts'],
): Float64Array | undefined {
  const together = names.length === 0 && inputs.length <= MOST_TOGETHER ? inputs : []
  if (names.length === 0 && together.length === 0) return undefined
  const raised = new Float64Array(texts.bound)
  const raise = (found: Iterable<number>, by: number): void => {
    for (const text of found) raised[text] = Math.max(raised[text] ?? 0, by)
  }
  for (const { term, share, isSure } of names) {
    const named = textsNamed(texts, term)
    raise(named, share * (isSure ? SURE : LIKELY * rarity(named.size, texts.texts)))
  }
  raise(together, LIKELY * rarity(together.length, texts.texts))
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
