import { createPostingsReader, type Postings, type TextChoice } from '../segments/postings.ts'
import type { TermDictionary, TermsWanted } from '../segments/term-dictionary.ts'

/**
 * The texts that one search looks at: those of the latest versions, or of all. Nothing is loaded but what is asked for.
 * Texts are numbered from 0; modules whose words are equal share one. Fields have the numbers of `FIELDS`.
 */
export interface TextIndex {
  /** Above the number of every text; some numbers belong to texts outside this view. */
  readonly bound: number
  /** Texts of this view. */
  readonly texts: number
  /** Fields of a text. */
  readonly fields: number
  /** Different terms in each field of each text: those of text 0, those of text 1, and so on. */
  readonly lengths: Uint16Array
  /** Mean of the lengths by field. */
  readonly averageLengths: readonly number[]
  /** Where a term occurs in this view; empty when it does not. */
  postings(term: string): Postings
  /** About how many texts have a term, those of other versions included: it costs one look-up. */
  count(term: string): number
  /** Terms that begin so, each with its `count`; '' gives all. */
  startingWith(prefix: string, wanted?: TermsWanted): Iterable<VocabularyTerm>
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
  let next = 0
  for (const { lengths, chosen } of segments) {
    bases.push(next)
    bound = next + chosen.bound // texts of older versions come last
    next += lengths.length / fields
  }
  const sums = new Array<number>(fields).fill(0)
  let texts = 0
  for (const segment of segments) texts += addLengths(sums, segment)
  return {
    fields,
    lengths: joinedLengths(segments),
    bound,
    texts,
    averageLengths: sums.map((sum) => (texts === 0 ? 0 : sum / texts)),
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
    startingWith: (prefix, wanted = {}) => vocabulary(segments, prefix, wanted),
  }
}

function joinedLengths(segments: readonly TextSegment[]): Uint16Array {
  const [first, ...others] = segments
  if (first && others.length === 0) return first.lengths
  const joined = new Uint16Array(segments.reduce((sum, { lengths }) => sum + lengths.length, 0))
  let at = 0
  for (const { lengths } of segments) {
    joined.set(lengths, at)
    at += lengths.length
  }
  return joined
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
function* vocabulary(
  segments: readonly TextSegment[],
  prefix: string,
  { leastTexts = 0, ...bytes }: TermsWanted,
): Iterable<VocabularyTerm> {
  const [largest, ...others] = [...segments].sort((a, b) => b.lengths.length - a.lengths.length)
  const joined = new Map<string, number>()
  for (const { terms } of others)
    for (const { term, texts } of terms.startingWith(prefix, bytes))
      joined.set(term, (joined.get(term) ?? 0) + texts)
  // A term that only the largest has needs no look at the others.
  const wanted = joined.size === 0 ? { ...bytes, leastTexts } : bytes
  for (const { term, texts } of largest?.terms.startingWith(prefix, wanted) ?? []) {
    const count = texts + (joined.get(term) ?? 0)
    joined.delete(term)
    if (count >= leastTexts) yield { term, texts: count }
  }
  for (const [term, texts] of joined) if (texts >= leastTexts) yield { term, texts }
}
