import { nearest } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { SEARCH_FIELDS, type SearchField } from './record-row.ts'
import { quoted } from './secrets.ts'
import { folded } from './words.ts'

/** One condition of a query; all must hold. */
export interface QueryTerm {
  readonly kind: 'word' | 'prefix' | 'phrase'
  /** Folded; a phrase with single blanks. */
  readonly text: string
  /** Absent: any field. */
  readonly field?: SearchField
  readonly not: boolean
}

export interface Query {
  readonly terms: readonly QueryTerm[]
  /** Words beyond the limit, which are ignored. */
  readonly ignored: number
}

export const MAX_TERMS = 32
const PART = /(-?)(?:([\p{L}_]+):(?=["\p{L}\p{N}_*.-]))?(?:"([^"]*)"?|([^\s"]+))/gu

/**
 * Words, `"phrases"`, `-not`, `prefix*` and `field:word`; a quote that is not closed ends with the query.
 * Errors: `invalid`/`unknown_field` with the place and the nearest field.
 */
export function parseQuery(text: string): Query {
  const terms: QueryTerm[] = []
  let ignored = 0
  for (const match of text.matchAll(PART)) {
    const term = termOf(match)
    if (!term) continue
    if (terms.length < MAX_TERMS) terms.push(term)
    else ignored++
  }
  return { terms, ignored }
}

function termOf(match: RegExpMatchArray): QueryTerm | undefined {
  const [, minus = '', name, phrase, bare = ''] = match
  const scope = { ...(name !== undefined && { field: fieldOf(name, match.index ?? 0) }), not: minus === '-' }
  if (phrase !== undefined) {
    const words = folded(phrase).replace(/\s+/g, ' ').trim()
    return words === '' ? undefined : { kind: 'phrase', text: words, ...scope }
  }
  const isPrefix = bare.endsWith('*')
  const word = folded(bare).replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, '')
  return word === '' ? undefined : { kind: isPrefix ? 'prefix' : 'word', text: word, ...scope }
}

function fieldOf(name: string, place: number): SearchField {
  const wanted = name.toLowerCase()
  const found = SEARCH_FIELDS.find((field) => field === wanted)
  if (found) return found
  const near = nearest(wanted, SEARCH_FIELDS)
  const hint = near ? `Did you mean "${near}"?` : `Fields: ${SEARCH_FIELDS.join(', ')}.`
  const [field, at] = [quoted(name, 40), place + 1]
  const details = { field, at, ...(near && { nearest: near }) }
  throw refusals.unknown_field({ name: field, at, hint }, { details })
}
