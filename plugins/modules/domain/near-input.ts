import { nearest } from '../../../server/plugin.ts'

/**
 * The input or attribute that a name was probably meant to be: the same letters or words in another form, else one with
 * a slip of the pen, else one of the same last word that has at least half of the words (`cluster_name` is `name`, not
 * `cluster_tags`). Undefined where several are as likely.
 */
export function nearInput(name: string, candidates: readonly string[]): string | undefined {
  const words = wordsOf(name)
  const others = candidates.map((candidate) => ({ candidate, words: wordsOf(candidate) }))
  const chosen = (holds: (other: readonly string[]) => boolean): string[] =>
    others.flatMap((other) => (holds(other.words) ? [other.candidate] : []))
  return (
    onlyOne(chosen((other) => other.join('') === words.join(''))) ??
    onlyOne(chosen((other) => sorted(other) === sorted(words))) ??
    nearest(
      name,
      chosen((other) => isSlip(words, other)),
    ) ??
    sameNoun(words, others) ??
    nearest(
      name,
      chosen((other) => isOtherwiseBroken(words, other)),
    )
  )
}

/** `clusterName`, `cluster-name` and `cluster_name` have the same words, as have `enable_ipv6` and `ipv6_enabled`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]+/)
    .filter(Boolean)
    .map((word) => word.replace(/^(enable|disable)d$/, '$1'))
}

function sorted(parts: readonly string[]): string {
  return [...parts].sort().join(' ')
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined
}

/** At most this share of a word differs: `repo` is not `geo`. */
const SLIP_SHARE = 0.34

/** Whether each word is written alike. */
function isSlip(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, at) => isAlike(word, b[at] ?? ''))
}

function isAlike(a: string, b: string): boolean {
  return a === b || sorted([...a]) === sorted([...b]) || nearest(a, [b], SLIP_SHARE) !== undefined
}

/** So little of a whole name differs where a break between two words is missing, or one too many. */
const BREAK_SHARE = 0.15

function isOtherwiseBroken(a: readonly string[], b: readonly string[]): boolean {
  return a.length !== b.length && nearest(a.join(''), [b.join('')], BREAK_SHARE) !== undefined
}

interface Other {
  readonly candidate: string
  readonly words: readonly string[]
}

function sameNoun(words: readonly string[], others: readonly Other[]): string | undefined {
  const alike = others.flatMap((other) => {
    const [few, many] = words.length < other.words.length ? [words, other.words] : [other.words, words]
    const isPart =
      few.length * 2 >= many.length && few.at(-1) === many.at(-1) && few.every((word) => many.includes(word))
    return isPart ? [{ candidate: other.candidate, apart: many.length - few.length }] : []
  })
  const least = Math.min(...alike.map(({ apart }) => apart))
  return onlyOne(alike.flatMap(({ candidate, apart }) => (apart === least ? [candidate] : [])))
}
