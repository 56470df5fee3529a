import type { Tokens } from './tokens.ts'
import { tokenize } from './tokens.ts'

/** Phrases that mean (about) the same. `id` is a stable slug: its hash is a feature of stored vectors. */
export interface ConceptGroup {
  readonly id: string
  readonly phrases: readonly string[]
}

/** One phrase as stems. */
export interface ConceptPhrase {
  readonly group: string
  readonly stems: readonly string[]
}

/** A lexicon ready to match. Immutable. */
export interface Lexicon {
  /** Version of the built-in data and a digest of the user's own, as written in the headers of stores. */
  readonly version: string
  /** Group -> words of its longest phrase in these tokens. */
  match(tokens: Tokens): ReadonlyMap<string, number>
}

/** Compiles groups; a group named twice joins its phrases. `version` goes into the stores' headers. */
export function createLexicon(groups: readonly ConceptGroup[], version: string): Lexicon {
  const byFirst = new Map<string, ConceptPhrase[]>()
  for (const { id, phrases } of groups) {
    for (const text of phrases) {
      const phrase: ConceptPhrase = { group: id, stems: phraseStems(text) }
      const first = phrase.stems[0]
      if (first === undefined) continue
      byFirst.set(first, [...(byFirst.get(first) ?? []), phrase])
    }
  }
  return {
    version,
    match: ({ words, joined }) => {
      const found = new Map<string, number>()
      const note = ({ group, stems }: ConceptPhrase): void => {
        found.set(group, Math.max(found.get(group) ?? 0, stems.length))
      }
      words.forEach((word, at) => {
        for (const phrase of byFirst.get(word) ?? []) if (standsAt(phrase.stems, words, at)) note(phrase)
      })
      for (const word of joined) {
        for (const phrase of byFirst.get(word) ?? []) if (phrase.stems.length === 1) note(phrase)
      }
      return found
    },
  }
}

/** The stems of a phrase, in order; stop words in it are dropped as they are in texts. */
function phraseStems(text: string): readonly string[] {
  return tokenize(text).words
}

function standsAt(stems: readonly string[], words: readonly string[], at: number): boolean {
  return stems.every((stem, offset) => words[at + offset] === stem)
}
