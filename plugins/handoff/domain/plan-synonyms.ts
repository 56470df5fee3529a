import { addTo, once } from '../../../server/plugin.ts'
import { rootOf as stem } from './plan-stems.ts'
import { WORD_GROUPS } from './plan-words.ts'

/** The groups of a stem: words of one group mean about the same. A word may be in several groups. */
export const synonymGroups: () => ReadonlyMap<string, readonly string[]> = once(() => {
  const groups = new Map<string, string[]>()
  for (const [n, words] of wordGroups().entries()) {
    for (const word of new Set(words.map((one) => stem(one.replaceAll('_', '')))))
      addTo(groups, word, `group ${n}`)
  }
  return groups
})

function wordGroups(): readonly (readonly string[])[] {
  return Object.values(WORD_GROUPS)
    .flatMap((table) => table.split(';'))
    .map((group) => group.trim().split(/\s+/))
    .filter(({ length }) => length > 1)
}

/** Gives the phrases of the groups the form of one word: `turning it off` and `get rid of` among them. */
export function withoutPhrases(text: string): string {
  const joined = PARTICLE.test(text)
    ? SEPARABLE.reduce((so, [pattern, word]) => so.replace(pattern, `${word} $1`), text)
    : text
  return joined.replace(phrases().pattern, (found) => phrases().words.get(keyOf(found)) ?? found)
}

/** Verbs of two words, with their object before or after the second. */
const SEPARABLE: readonly (readonly [RegExp, string])[] = (
  [
    ['turn|switch|shut', 'off', 'disable'],
    ['turn|switch', 'on', 'enable'],
    ['roll|put|bring|set', 'back', 'revert'],
    ['throw|take', 'away', 'remove'],
    ['take|pull|rip|cut|leave', 'out', 'remove'],
  ] as const
).map(([verbs, particle, word]) => [
  new RegExp(`\\b(?:${verbs})(?:t?ing|n?ing|p?ing|s)?((?:\\s+[^\\s,.;:]+){1,5}?)\\s+${particle}\\b`, 'g'),
  word,
])

/** Most texts have none. */
const PARTICLE = /\b(?:off|on|back|away|out)\b/

const phrases = once(() => {
  const all = [...new Set(wordGroups().flat())].filter((word) => word.includes('_'))
  const words = new Map(
    all.map((phrase) => [phrase.split('_').map(stem).join(' '), phrase.replaceAll('_', '')]),
  )
  const patterns = all
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) => phrase.split('_').map(inflected).join('[ -]'))
  return { words, pattern: new RegExp(`\\b(?:${patterns.join('|')})\\b`, 'g') }
})

/** The words of a phrase that is read as one: `memory limit` has to do with `memory`. */
export const partsOfPhrases: () => ReadonlyMap<string, readonly string[]> = once(
  () =>
    new Map(
      [...phrases().words.keys()].map((key) => [stem(phrases().words.get(key) ?? key), key.split(' ')]),
    ),
)

function keyOf(found: string): string {
  return found.split(/[ -]/).map(stem).join(' ')
}

/** A word of a phrase with its endings: `cache`, `caches`, `cached`, `caching`. */
function inflected(word: string): string {
  if (word.length < 3 || /[^a-z]/.test(word)) return word
  const last = word.at(-1) ?? ''
  const short = word.replace(/e$/, '')
  return `(?:${word}(?:s|es|ed)?|${short}(?:d|${last}?ing|${last}?ed|ing))`
}
