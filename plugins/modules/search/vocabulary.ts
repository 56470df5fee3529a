import type { TermsWanted } from '../segments/term-dictionary.ts'

/** What the ranking of a query asks of an index: how many of its texts have a term, and which terms there are. */
export interface Vocabulary {
  /** Texts in the index. */
  readonly texts: number
  /** Texts with this term (a stem, as `tokens.ts` makes them). */
  count(term: string): number
  /** The texts, by number, that have each of these terms among the names of their inputs. */
  named(terms: readonly string[]): readonly number[]
  /** Terms that begin so. */
  startingWith(
    prefix: string,
    wanted?: TermsWanted,
  ): Iterable<{ readonly term: string; readonly texts: number }>
}
