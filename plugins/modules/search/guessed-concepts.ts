import { type ConceptGroup, type MeantConcept, textsOf } from './concept-phrases.ts'
import { tokenize } from './tokens.ts'

/** What people who want a concept say of what they want to achieve or avoid, as sentences. */
export interface WishedConcept {
  readonly id: string
  readonly wishes: readonly string[]
}

/** How many phrases and wishes of each concept have a stem. */
export interface Associations {
  /** Concepts by how much these stems speak for them, from 0 to 1, best first. */
  guess(stems: readonly string[]): readonly (readonly [group: string, share: number])[]
}

/**
 * A line with the ids of the concepts, then one for each stem: the stem, and in pairs a concept, by its place, and how many
 * of its phrases and wishes have the stem.
 */
export function prepareAssociations(
  groups: readonly ConceptGroup[],
  wished: readonly WishedConcept[],
): string {
  const ids = groups.map(({ id }) => id)
  const counts = new Map<string, Map<number, number>>()
  const learn = (text: string, group: number): void => {
    for (const stem of new Set(tokenize(text).words)) {
      const known = counts.get(stem) ?? new Map<number, number>()
      counts.set(stem, known.set(group, (known.get(group) ?? 0) + 1))
    }
  }
  for (const [at, group] of groups.entries()) for (const { text } of textsOf(group)) learn(text, at)
  for (const { id, wishes } of wished) {
    const at = ids.indexOf(id)
    if (at < 0) throw new Error(`The lexicon has no concept ${id}.`)
    for (const wish of wishes) learn(wish, at)
  }
  const lines = Array.from(counts, ([stem, found]) => `${stem} ${[...found].flat().join(' ')}`)
  return [ids.join(' '), ...lines].join('\n')
}

/** So many sentences with a word say half of what any number would. */
const HALF = 4
/** A word of no sentence counts among the words of the query like a word of all concepts, times this. */
const UNTOLD = 0.5

/** Reads what `prepareAssociations` wrote; '' associates nothing. */
export function associationsOf(text: string): Associations {
  const ids = text.slice(0, Math.max(0, text.indexOf('\n'))).split(' ')
  /** A query has few words: looking for them costs less than reading all lines. */
  const pairsOf = (stem: string): readonly string[] => {
    const at = text.indexOf(`\n${stem} `)
    if (at < 0) return []
    const end = text.indexOf('\n', at + 1)
    return text.slice(at + stem.length + 2, end < 0 ? text.length : end).split(' ')
  }
  return {
    guess(stems) {
      if (text === '') return []
      const scores = new Map<string, number>()
      let all = 0
      for (const stem of new Set(stems)) {
        const pairs = pairsOf(stem)
        const rarity = Math.log(1 + (2 * ids.length) / Math.max(2, pairs.length))
        all += pairs.length === 0 ? UNTOLD * rarity : rarity
        for (let at = 0; at < pairs.length; at += 2) {
          const id = ids[Number(pairs[at])] ?? ''
          const count = Number(pairs[at + 1])
          scores.set(id, (scores.get(id) ?? 0) + (rarity * count) / (count + HALF))
        }
      }
      const ranked = Array.from(scores, ([id, score]) => [id, score / all] as const)
      return ranked.sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    },
  }
}

/** Fewer words are a name more often than a sentence. */
const LEAST_WORDS = 3
/** What less of the words speaks for is not guessed. */
const LEAST_SHARE = 0.15
/** Several concepts are guessed where they are nearly as likely as the first one. */
const NEARLY = 0.7
const MOST_GUESSED = 3
/** A guess counts so much where all words are plain. */
const GUESS_WEIGHT = 0.8

/** The words of a query that may be plain, and the share of them that forms a name of what modules have. */
export interface PlainWords {
  readonly stems: readonly string[]
  readonly named: number
}

/** A sentence of so many words that speak for one concept by such a share, and so much more than for another, asks for it. */
const SENTENCE_WORDS = 4
const SPOKEN_SHARE = 0.22
const SPOKEN_MORE = 1.3

/**
 * The concepts of a query and those that its words speak for together, though no phrase of the lexicon is among them. A guess
 * counts the less the more words are names or phrases that are clear by themselves. It does not say that something fits,
 * unless a whole sentence speaks for it.
 */
export function withGuessed(
  concepts: ReadonlyMap<string, MeantConcept>,
  { stems, named }: PlainWords,
  associations: Associations,
) {
  if (stems.length < LEAST_WORDS || named === 1) return { concepts }
  const ranked = associations.guess(stems)
  const most = ranked[0]?.[1] ?? 0
  const spokenFor = conceptOfSentence(stems, ranked)
  const spoken = spokenFor === undefined ? {} : { spokenFor }
  const weight = GUESS_WEIGHT * (1 - named) * plainShare(concepts, stems.length)
  if (most < LEAST_SHARE || weight === 0) return { concepts, ...spoken }
  const joined = new Map(concepts)
  for (const [group, share] of ranked.slice(0, MOST_GUESSED)) {
    if (share < NEARLY * most) break
    const known = concepts.get(group) ?? NOT_MEANT
    const guessed = weight * (share / most) ** 2
    joined.set(group, { ...known, weight: Math.max(known.weight, Math.min(1, known.weight + guessed)) })
  }
  return { concepts: joined, ...spoken }
}

function conceptOfSentence(
  stems: readonly string[],
  [first, second]: readonly (readonly [group: string, share: number])[],
): string | undefined {
  if (!first || new Set(stems).size < SENTENCE_WORDS || first[1] < SPOKEN_SHARE) return undefined
  return first[1] >= SPOKEN_MORE * (second?.[1] ?? 0) ? first[0] : undefined
}

const NOT_MEANT: MeantConcept = {
  weight: 0,
  certainty: 0,
  words: 1,
  isExact: false,
  isVague: false,
  stems: [],
}

/** The share of words that are not part of a clear phrase. */
function plainShare(concepts: ReadonlyMap<string, MeantConcept>, words: number): number {
  let clear = 0
  for (const { isExact, isVague, words: own } of concepts.values()) if (isExact && !isVague) clear += own
  return Math.max(0, 1 - clear / words)
}
