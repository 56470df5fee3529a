import { ALL_FIELDS, documentTerms, type KeywordDocument } from '../search/keyword-document.ts'
import { type KeywordIndex, type KeywordMatch, keywordIndex } from '../search/keyword-index.ts'
import type { Lexicon } from '../search/lexicon.ts'
import { textIndex } from '../search/text-index.ts'
import { memorySource, openSectionFile, sectionFileBytes } from '../segments/section-file.ts'
import { openTermDictionary, uint16s } from '../segments/term-dictionary.ts'
import { createTextWriter } from '../segments/text-writer.ts'

/** A keyword index in memory that knows the id of each document. */
export interface SmallKeywordIndex extends KeywordIndex {
  /** Best first. */
  search(query: string): { readonly hits: readonly KeywordHit[]; readonly fuzzy: boolean }
}

interface KeywordHit extends KeywordMatch {
  readonly id: string
}

/** An index over these documents, in memory. */
export function buildKeywordIndex(
  documents: readonly KeywordDocument[],
  lexicon: Lexicon,
): SmallKeywordIndex {
  const writer = createTextWriter()
  for (const document of documents) writer.add(document.id, () => documentTerms(document, lexicon))
  const file = openSectionFile(memorySource(sectionFileBytes({}, writer.sections())))
  const lengths = uint16s(file.whole('lengths'))
  const texts = lengths.length / ALL_FIELDS.length
  const chosen = { isIn: new Uint8Array(texts).fill(1), bound: texts }
  const segment = { terms: openTermDictionary(file), texts, lengths: () => lengths, chosen }
  const index = keywordIndex(textIndex([segment], ALL_FIELDS.length), lexicon)
  const ids = documents.map(({ id }) => id)
  return {
    ...index,
    search(query) {
      const { scores, fuzzy, match } = index.score(index.plan(query))
      const hits = [...scores.keys()]
        .filter((text) => (scores[text] ?? 0) > 0)
        .map((text) => ({ id: ids[text] ?? '', ...match(text) }))
      return { hits: hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)), fuzzy }
    },
  }
}
