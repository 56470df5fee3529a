import { keepRecent } from '../../../server/plugin.ts'
import { countBelow } from '../domain/count-below.ts'
import type { Postings } from '../segments/postings.ts'
import { textsNamingAll } from './all-named.ts'
import type { DocumentFrequencies } from './dense-features.ts'
import { ALL_FIELDS, FIELDS, NAMED_FIELDS } from './keyword-document.ts'
import { addTerm, scoreTexts, type TextScores, type WeightedTerm } from './keyword-score.ts'
import { knowledgeOf } from './knowledge.ts'
import type { Lexicon } from './lexicon.ts'
import { nearTerms } from './near-terms.ts'
import { planQuery, type QueryPlan } from './query-plan.ts'
import type { TextIndex } from './text-index.ts'
import type { Vocabulary } from './vocabulary.ts'
import { WIDER } from './wider-concepts.ts'

/**
 * How much a concept counts beside the query's own words, per word of the query: a score is multiplied by the number of
 * words that matched, so a concept weighs as if the whole query had matched (decisions 6 and 16).
 */
const CONCEPT_WEIGHT = 1
/** A name that the words of a query form together says much more than each of them. */
const NAME_WEIGHT = 4
/** A shorter query asks for its concepts as much as one of so many words. */
const LEAST_WORDS = 3
/** What a module is named and described as says what it is; what its README mentions says less. */
const CONCEPT_BOOST: Readonly<Record<string, number>> = {
  concepts_name: 3,
  concepts_description: 2,
  concepts_readme: 0.5,
  concepts_variables: 0.5,
  concepts_outputs: 0.4,
  concepts_resources: 1.5,
}

/** What one text scored, and which words of which fields gave it. */
export interface KeywordMatch {
  readonly score: number
  /** Term -> fields it was found in. */
  readonly match: Readonly<Record<string, readonly string[]>>
  /** Group -> what a concept of the query added where the text has it too. */
  readonly concepts: Readonly<Record<string, number>>
  /** The concepts of the query that the name, the description or the resources of the text say. */
  readonly about: readonly string[]
  /** Those that its name or its description says. */
  readonly says: readonly string[]
}

/** The texts that match a query. */
export interface KeywordScores {
  /** By the number of the text; 0 for no match. */
  readonly scores: TextScores
  /** No exact match; these texts match prefixes and similar spellings. */
  readonly fuzzy: boolean
  match(text: number): KeywordMatch
}

/** A keyword index over modules. */
export interface KeywordIndex {
  readonly size: number
  readonly texts: TextIndex
  readonly frequencies: DocumentFrequencies
  readonly vocabulary: Vocabulary
  plan(query: string): QueryPlan
  score(plan: QueryPlan): KeywordScores
}

/** Features of which it is known how many texts have them: queries ask for the same again. */
const COUNTS_KEPT = 10_000

/** A keyword index over texts of an index on disk or in memory. */
export function keywordIndex(stored: TextIndex, lexicon: Lexicon): KeywordIndex {
  const texts = remembering(stored)
  const counts = keepRecent<string, number>(COUNTS_KEPT)
  const vocabulary: Vocabulary = { ...texts, named: (terms) => textsNamingAll(texts, terms) }
  return {
    size: texts.texts,
    texts,
    frequencies: {
      documents: texts.texts,
      count: (feature) => counts.get(feature, () => textsWith(texts, feature)),
    },
    vocabulary,
    plan: (query) => planQuery(query, knowledgeOf(lexicon), vocabulary),
    score: (plan) => score(texts, plan),
  }
}

const NAME_FIELDS = ALL_FIELDS.map((name) => Number(NAMED_FIELDS.has(name)))
const WORD_FIELDS = ALL_FIELDS.map((_, at) => (at < FIELDS.length ? 1 : 0))
const CONCEPT_FIELDS = ALL_FIELDS.map((name) => CONCEPT_BOOST[name] ?? 0)

function score(texts: TextIndex, plan: QueryPlan): KeywordScores {
  const own = plan.terms
  const words = Math.max(LEAST_WORDS, own.length)
  const scores = scoreTexts(texts, own, WORD_FIELDS)
  const likely = plan.names.filter(({ isSure }) => !isSure) // others are put first
  const names = likely.map(({ term }) => ({ term, weight: NAME_WEIGHT * words }))
  if (names.length > 0) {
    const named = scoreTexts(texts, names, NAME_FIELDS)
    for (let text = 0; text < named.length; text++) scores[text] = (scores[text] ?? 0) + (named[text] ?? 0)
  }
  const factor = CONCEPT_WEIGHT * words
  const concepts = [...plan.concepts].map(([group, { weight }]) => {
    const gains = addTerm(scores, texts, { term: group, weight, factor }, CONCEPT_FIELDS)
    return { group, factor, gains }
  })
  if (isAnyAbove0(scores)) {
    const fuzzy = plan.corrections.length > 0 && own.every(({ weight }) => weight < 1)
    return { scores, fuzzy, match: (text) => matchOf(texts, { own, concepts, scores }, text) }
  }
  const near = nearTerms(
    texts,
    own.map(({ term }) => term),
  )
  const resembling = scoreTexts(texts, near, WORD_FIELDS)
  const fuzzy = isAnyAbove0(resembling)
  return {
    scores: resembling,
    fuzzy,
    match: (text) => matchOf(texts, { own: near, concepts: [], scores: resembling }, text),
  }
}

function isAnyAbove0(scores: TextScores): boolean {
  for (let text = 0; text < scores.length; text++) if ((scores[text] ?? 0) > 0) return true
  return false
}

interface Scored {
  readonly own: readonly WeightedTerm[]
  readonly concepts: readonly ScoredConcept[]
  readonly scores: TextScores
}

function matchOf(texts: TextIndex, { own, concepts, scores }: Scored, text: number): KeywordMatch {
  const match: Record<string, string[]> = {}
  for (const { term } of own) {
    const fields = fieldsOf(texts, term, text)
    if (fields.length > 0) match[term] = fields
  }
  const added = concepts.flatMap((concept) => {
    const value = addedBy(texts, concept, text)
    return value > 0 ? [[concept.group, value] as const] : []
  })
  const groups = concepts.map(({ group }) => group)
  const mentions = new Set(added.map(([group]) => group))
  const isOfWider = (group: string): boolean => {
    const { concepts: wider = [], word } = WIDER[group] ?? {}
    const isNamed = word !== undefined && hasIn(NAME, texts, word, text)
    return isNamed || wider.some((one) => hasIn(SAYING, texts, one, text))
  }
  const tells = (fields: ReadonlySet<number>) => (group: string) =>
    hasIn(fields, texts, group, text) || (mentions.has(group) && isOfWider(group))
  const about = groups.filter(tells(ABOUT))
  const says = about.filter(tells(SAYING))
  return { score: scores[text] ?? 0, match, concepts: Object.fromEntries(added), about, says }
}

/** Fields of concepts by which a module says what it is, and with them those that show it, instead of what it mentions. */
const SAYING = fieldNumbers(['concepts_name', 'concepts_description'])
const NAME = fieldNumbers(['name'])
const ABOUT = new Set([...SAYING, ...fieldNumbers(['concepts_resources'])])

function fieldNumbers(names: readonly string[]): ReadonlySet<number> {
  return new Set(names.map((name) => ALL_FIELDS.indexOf(name)))
}

function hasIn(fields: ReadonlySet<number>, texts: TextIndex, group: string, text: number): boolean {
  const postings = texts.postings(group)
  for (
    let at = countBelow(postings.texts, text, postings.length);
    at < postings.length && postings.texts[at] === text;
    at++
  )
    if (fields.has(postings.fields[at] ?? 0)) return true
  return false
}

interface ScoredConcept {
  readonly group: string
  readonly factor: number
  /** What each entry of the group gave. */
  readonly gains: Float64Array
}

/** What a concept added to the score of a text. */
function addedBy(texts: TextIndex, { group, factor, gains }: ScoredConcept, text: number): number {
  const postings = texts.postings(group)
  let sum = 0
  for (
    let at = countBelow(postings.texts, text, postings.length);
    at < postings.length && postings.texts[at] === text;
    at++
  )
    sum += gains[at] ?? 0
  return factor * sum
}

/** The fields of a text that have a term as a word. */
export function fieldsOf(texts: TextIndex, term: string, text: number): string[] {
  const postings = texts.postings(term)
  const found: string[] = []
  for (
    let at = countBelow(postings.texts, text, postings.length);
    postings.texts[at] === text && at < postings.length;
    at++
  ) {
    const field = FIELDS[postings.fields[at] ?? 0]
    if (field) found.push(field)
  }
  return found
}

/** Texts with a feature of the built-in vectors: `w:<stem>` or `g:<concept>`. */
function textsWith(texts: TextIndex, feature: string): number {
  const { byFirst, byLast } = texts.postings(feature.slice(2))
  // Fields of words come first: a text has a word where its first field is one of them.
  const counted = feature.startsWith('w:')
    ? byFirst.subarray(0, FIELDS.length)
    : byLast.subarray(FIELDS.length)
  return counted.reduce((sum, count) => sum + count, 0)
}

/** Postings that stay decoded, in entries of seven bytes: those of words that queries have again and again. */
const MAX_REMEMBERED = 2_000_000
/** What a term takes beside its postings, in such entries. */
const TERM_ENTRIES = 50

/** The same texts; postings are decoded once, and stay while they are asked for. */
function remembering(texts: TextIndex): TextIndex {
  const known = keepRecent<string, Postings>(MAX_REMEMBERED, ({ length }) => length + TERM_ENTRIES)
  return { ...texts, postings: (term) => known.get(term, () => texts.postings(term)) }
}
