import { once } from '../../../server/plugin.ts'

/** Runs of scripts that put no space between words; U+30FC makes a vowel long. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc]+/gu

/** Tells whether a text is of such scripts in part. */
export function hasUnspaced(text: string): boolean {
  return text.search(UNSPACED) >= 0
}

/**
 * Pieces by which any part of such runs is found: each two characters that follow one another, and the last one alone.
 * `rest` is what is between the runs. The text is folded.
 */
export function unspacedPieces(text: string): { readonly pieces: readonly string[]; readonly rest: string } {
  const pieces: string[] = []
  const rest = text.replace(UNSPACED, (run) => {
    const characters = [...run]
    for (const [at, one] of characters.entries()) pieces.push(`${one}${characters[at + 1] ?? ''}`)
    return ' '
  })
  return { pieces, rest }
}

/** Endings and particles of Japanese: they are in every sentence. */
const GRAMMAR = /^\p{sc=Hiragana}+$/u

const segmenter = once(() => new Intl.Segmenter('en', { granularity: 'word' }))

/** A text in which the words of such runs have spaces between them, by the dictionaries of ICU. */
export function withSpaces(text: string): string {
  return text.replace(UNSPACED, (run) => {
    const words = [...segmenter().segment(run)].map(({ segment }) => segment)
    return ` ${words.filter((word) => !GRAMMAR.test(word)).join(' ')} `
  })
}
