import { createPostingsReader, type Postings, type TextChoice } from '../segments/postings.ts'
import type { TermDictionary } from '../segments/term-dictionary.ts'

/**
 * The texts that one search looks at: those of the latest versions, or of all. Nothing is loaded but what is asked for.
 * Texts are numbered from 0; modules whose words are equal share one. Fields have the numbers of `FIELDS`.
 */
export interface TextIndex {
  /** Above the number of every text; some numbers belong to texts outside this view. */
  readonly bound: number
  /** Texts of this view. */
  readonly texts: number
  /** Mean of `lengthOf` by field. */
  readonly averageLengths: readonly number[]
  /** Different terms in a field of a text. */
  lengthOf(text: number, field: number): number
  /** Where a term occurs in this view; empty when it does not. */
  postings(term: string): Postings
  /** About how many texts have a term, those of other versions included: it costs one look-up. */
  count(term: string): number
  /** Terms that begin so, in order, each with its `count`; '' gives all. */
  startingWith(prefix: string): Iterable<VocabularyTerm>
}

export interface VocabularyTerm {
  readonly term: string
  readonly texts: number
}

/** One segment's share of a view. */
export interface TextSegment {
  readonly terms: TermDictionary
  /** `fields` numbers for each text. */
  readonly lengths: Uint16Array
  readonly chosen: TextChoice
}

/** A view over the texts of several segments, numbered one segment after the other. */
export function textIndex(segments: readonly TextSegment[], fields: number): TextIndex {
  const bases: number[] = []
  let bound = 0
  for (const { lengths } of segments) {
    bases.push(bound)
    bound += lengths.length / fields
  }
  const sums = new Array<number>(fields).fill(0)
  let texts = 0
  for (const segment of segments) texts += addLengths(sums, segment)
  const segmentOf = (text: number): number => {
    let at = bases.length - 1
    while (at > 0 && (bases[at] ?? 0) > text) at--
    return at
  }
  return {
    bound,
    texts,
    averageLengths: sums.map((sum) => (texts === 0 ? 0 : sum / texts)),
    lengthOf(text, field) {
      const at = segmentOf(text)
      return segments[at]?.lengths[(text - (bases[at] ?? 0)) * fields + field] ?? 0
    },
    postings(term) {
      const found = segments.map(({ terms }) => terms.find(term))
      const capacity = found.reduce((sum, entry) => sum + (entry?.texts ?? 0), 0)
      const reader = createPostingsReader(capacity * 2)
      for (const [at, { terms, chosen }] of segments.entries()) {
        const entry = found[at]
        if (entry) reader.add(terms.postings(entry), chosen, bases[at] ?? 0)
      }
      return reader.finish()
    },
    count: (term) => segments.reduce((sum, { terms }) => sum + (terms.find(term)?.texts ?? 0), 0),
    startingWith: (prefix) => vocabulary(segments, prefix),
  }
}

function addLengths(sums: number[], { lengths, chosen }: TextSegment): number {
  const fields = sums.length
  let texts = 0
  for (let text = 0; text < chosen.bound; text++) {
    if (chosen.isIn[text] !== 1) continue
    texts++
    for (let field = 0; field < fields; field++)
      sums[field] = (sums[field] ?? 0) + (lengths[text * fields + field] ?? 0)
  }
  return texts
}

/** The largest segment streams; the few terms of the others are joined to it. */
function vocabulary(segments: readonly TextSegment[], prefix: string): Iterable<VocabularyTerm> {
  const [only] = segments
  if (only && segments.length === 1) return only.terms.startingWith(prefix)
  const joined = new Map<string, number>()
  for (const { terms } of segments)
    for (const { term, texts } of terms.startingWith(prefix))
      joined.set(term, (joined.get(term) ?? 0) + texts)
  return [...joined].map(([term, texts]) => ({ term, texts })).sort((a, b) => (a.term < b.term ? -1 : 1))
}
