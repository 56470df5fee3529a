import type { SectionBytes } from './section-file.ts'
import { bytesOf, createTermsWriter } from './term-dictionary.ts'

/** The terms of one text: occurrences by field, and how many different terms each field has. */
export interface TextTerms {
  readonly terms: ReadonlyMap<string, readonly number[]>
  readonly lengths: readonly number[]
}

/** Collects the texts of one segment. */
export interface TextWriter {
  readonly texts: number
  /** The number of the text; a later one with an equal `key` gets the same number, and its terms are not asked for. */
  add(key: string, read: () => TextTerms): number
  /** The lengths of the first of these texts, summed up by field. */
  sums(texts: number): number[]
  sections(): Record<'lengths' | 'terms' | 'firsts' | 'blocks' | 'postings', SectionBytes>
}

const MAX_LENGTH = 0xffff

export function createTextWriter(): TextWriter {
  const terms = createTermsWriter()
  const numbers = new Map<string, number>()
  const lengths: number[] = []
  let fields = 0
  return {
    get texts() {
      return numbers.size
    },
    add(key, read) {
      const known = numbers.get(key)
      if (known !== undefined) return known
      const text = numbers.size
      numbers.set(key, text)
      const found = read()
      terms.add(text, found.terms)
      fields = found.lengths.length
      for (const length of found.lengths) lengths.push(Math.min(length, MAX_LENGTH))
      return text
    },
    sums(texts) {
      const sums = new Array<number>(fields).fill(0)
      for (let at = 0; at < texts * fields; at++)
        sums[at % fields] = (sums[at % fields] ?? 0) + (lengths[at] ?? 0)
      return sums
    },
    sections: () => ({ lengths: bytesOf(Uint16Array.from(lengths)), ...terms.sections() }),
  }
}
