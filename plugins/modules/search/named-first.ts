import { FIELDS, NAMED_FIELDS } from './keyword-document.ts'
import type { KeywordIndex } from './keyword-index.ts'
import type { SearchIndex } from './search-index.ts'
import { queryTokens } from './tokens.ts'

/** A query that is one name with `_`: modules with an input, output or resource of that name fill the upper half. */
export function putNamedFirst(
  scores: Float64Array,
  rows: readonly number[],
  query: string,
  { index, words: { texts } }: { readonly index: SearchIndex; readonly words: KeywordIndex },
): void {
  const name = query.trim()
  if (!/^[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+$/.test(name)) return
  const [joined = ''] = queryTokens(name).joined
  const { length, texts: found, fields } = texts.postings(joined)
  const named = new Set<number>()
  for (let at = 0; at < length; at++) {
    if (NAMED_FIELDS.has(FIELDS[fields[at] ?? 0] ?? '')) named.add(found[at] ?? 0)
  }
  for (const [at, row] of rows.entries()) {
    const score = scores[at] ?? 0
    scores[at] = row >= 0 && named.has(index.textOf(row)) ? (1 + score) / 2 : score / 2
  }
}
