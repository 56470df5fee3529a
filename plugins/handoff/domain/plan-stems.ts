import { stem } from './words.ts'

/** The stem of a word, equal for `lower`, `lowered` and `lowering`, which `stem` leaves apart. */
export function rootOf(word: string): string {
  const short = stem(word)
  return /[eo]r$/.test(short) ? stem(short) : short
}
