import type { MeantConcept } from './concept-phrases.ts'
import { stem } from './stemmer.ts'
import type { WrittenWord } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

const MOST_WORDS = 4

/**
 * Words that follow one another, written as one as names are ("bot service": `botservice`, "sticky sessions":
 * `sticky_sessions`), where a text has that. A phrase that says a concept needs none: it is found as the concept.
 */
export function compoundTerms(
  words: readonly WrittenWord[],
  concepts: ReadonlyMap<string, MeantConcept>,
  vocabulary: Vocabulary,
): readonly string[] {
  const phrases = [...concepts.values()].filter(({ isExact, words: count }) => isExact && count > 1)
  const said = new Set(phrases.flatMap(({ stems }) => stems))
  const found = new Set<string>()
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 2; to <= Math.min(words.length, from + MOST_WORDS); to++) {
      const part = words.slice(from, to)
      if (part.every((word) => said.has(word.stem))) continue
      const whole = stem(part.map(({ word }) => word).join(''))
      if (vocabulary.count(whole) > 0) found.add(whole)
    }
  }
  return [...found]
}
