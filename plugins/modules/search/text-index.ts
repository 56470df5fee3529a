import { createPostingsReader, type Postings, type TextChoice } from '../segments/postings.ts'
import type { SectionFile } from '../segments/section-file.ts'
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
  /** How many texts it has. */
  readonly texts: number
  /** `fields` numbers for each text, from one text to before another. */
  lengths(from: number, to: number): Uint16Array
  readonly chosen: TextChoice
  /** Sums of the lengths by field, if the writer of the segment made them. */
  readonly sums?: LengthSums | undefined
}

/** Of the first texts of a segment: those of the latest versions when it was written. */
export interface LengthSums {
  readonly texts: number
  readonly sums: readonly number[]
}

/** What a segment says of itself. */
export interface TextsMeta {
  readonly first?: LengthSums
}

/** The sums that a segment has; earlier versions wrote none. */
export function sumsOf({ meta }: SectionFile): LengthSums | undefined {
  return (meta as TextsMeta).first // as written: its checksum fits
}

/** A view over the texts of several segments, numbered one segment after the other. */
export function textIndex(segments: readonly TextSegment[], fields: number): TextIndex {
  const bases: number[] = []
  let bound = 0
  let next = 0
  for (const segment of segments) {
    bases.push(next)
    bound = next + segment.chosen.bound // texts of older versions come last
    next += segment.texts
  }
  const lengths = segments.map((segment) => segment.lengths(0, segment.chosen.bound))
  const sums = new Array<number>(fields).fill(0)
  let texts = 0
  for (const [at, segment] of segments.entries())
    texts += addKnown(sums, segment) ?? addLengths(sums, segment, lengths[at] ?? new Uint16Array(0))
  return {
    fields,
    lengths: joinedLengths(lengths, bases, { texts: next, fields }),
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

function joinedLengths(
  lengths: readonly Uint16Array[],
  bases: readonly number[],
  { texts, fields }: { readonly texts: number; readonly fields: number },
): Uint16Array {
  const [first, ...others] = lengths
  if (first && others.length === 0) return first
  const joined = new Uint16Array(texts * fields)
  for (const [at, own] of lengths.entries()) joined.set(own, (bases[at] ?? 0) * fields)
  return joined
}

/** Adds what the writer of a segment summed up, and gives the number of texts; undefined where others are chosen now. */
function addKnown(sums: number[], { chosen, sums: known }: TextSegment): number | undefined {
  if (known?.texts !== chosen.bound || known.sums.length !== sums.length) return undefined
  const firstOut = chosen.isIn.indexOf(0)
  if (firstOut !== -1 && firstOut < chosen.bound) return undefined
  for (const [field, sum] of known.sums.entries()) sums[field] = (sums[field] ?? 0) + sum
  return known.texts
}

function addLengths(sums: number[], { chosen }: TextSegment, lengths: Uint16Array): number {
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
  const [largest, ...others] = [...segments].sort((a, b) => b.texts - a.texts)
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
