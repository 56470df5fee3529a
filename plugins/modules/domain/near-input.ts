import { nearest } from '../../../server/plugin.ts'

/**
 * The input or attribute that a name was probably meant to be: one with a slip of the pen, else one of the same last word
 * that has only some of the words (`cluster_name` is `name`, not `cluster_tags`). Undefined where several are as likely.
 */
export function nearInput(name: string, candidates: readonly string[]): string | undefined {
  const words = wordsOf(name)
  return (
    nearest(
      name,
      candidates.filter((candidate) => isSlip(words, wordsOf(candidate))),
    ) ?? sameNoun(words, candidates)
  )
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[_-]+/).filter(Boolean)
}

/** Whether each word is written alike, or only the breaks between words differ. */
function isSlip(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return nearest(a.join(''), [b.join('')]) !== undefined && isAlmost(a, b)
  return a.every((word, at) => word === b[at] || nearest(word, [b[at] ?? '']) !== undefined)
}

/** At most two characters more or less: another word is not a slip. */
function isAlmost(a: readonly string[], b: readonly string[]): boolean {
  return Math.abs(a.join('').length - b.join('').length) <= 2
}

function sameNoun(words: readonly string[], candidates: readonly string[]): string | undefined {
  const alike = candidates.flatMap((candidate) => {
    const other = wordsOf(candidate)
    const [few, many] = words.length < other.length ? [words, other] : [other, words]
    const isPart = few.length > 0 && few.at(-1) === many.at(-1) && few.every((word) => many.includes(word))
    return isPart ? [{ candidate, apart: many.length - few.length }] : []
  })
  const least = Math.min(...alike.map(({ apart }) => apart))
  const best = alike.filter(({ apart }) => apart === least)
  return best.length === 1 ? best[0]?.candidate : undefined
}
