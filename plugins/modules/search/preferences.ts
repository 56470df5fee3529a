import { CLOUDS } from './provider-names.ts'
import type { QueryPlan } from './query-plan.ts'
import { nameTokens } from './tokens.ts'

/** What is known of a candidate beside its words. Repository and path are asked for only where something is not a root. */
export interface CandidatePlace {
  readonly repository: string
  readonly path: string
  readonly kind: string
}

/** A module of the wanted provider keeps its score; another one keeps so much of it. */
const OTHER_CLOUD = 0.6
/** In "the X of provider Y" a module of another provider is not an answer, however well its words match. */
const COMPARED_CLOUD = 0.05
/** A tool that is named ("github actions") may be what a module of any provider works with. */
const OTHER_TOOL = 0.9

/** How much of its score a candidate keeps that is not of the wanted provider. */
export function otherProviderShare({ provider }: QueryPlan): number {
  if (!provider) return 1
  if (provider.kind === 'equivalent') return COMPARED_CLOUD
  return provider.providers.some((name) => CLOUDS.has(name)) ? OTHER_CLOUD : OTHER_TOOL
}

/** A submodule is part of something larger: so much of its score counts unless the query names it. */
const SUBMODULE = 0.85
/** A query of few words asks for the whole thing. */
const FEW_WORDS = 3
const SUBMODULE_OF_FEW_WORDS = 0.7
/** The name of a part is rarely said by chance: each of its words but the first raises it above what is not so named. */
const NAMED_PART = 0.1
const MOST_RAISING = 3
/** A wrapper says what the module says that it wraps. */
const WRAPPER = 0.5
/** A root that scores at least so much of what its submodule does comes before it. */
const ROOT_NEAR = 0.7

/**
 * Prefers modules to their parts: submodules that the query does not name lose some of their score, and do not come
 * before the root of their repository when that matches nearly as well. What is not named by as many words as the part with
 * the longest name that the query has loses some of its score, too. Changes `scores` of `candidates`, and raises none above
 * the score that its submodule had.
 */
export function preferRoots(
  scores: Float64Array,
  candidates: readonly number[],
  placeOf: (candidate: number) => CandidatePlace,
  plan: QueryPlan,
): void {
  const words = new Set(plan.terms.map(({ term }) => term))
  const places = candidates.map((candidate) => ({ candidate, place: placeOf(candidate) }))
  const asksForWrapper = words.has('wrapper')
  const naming = places.map(({ place }) =>
    place.kind === 'root' || (isWrapper(place.path) && !asksForWrapper) ? 0 : wordsNaming(place, words),
  )
  const parts = places.filter(({ place }, at) => place.kind !== 'root' && naming[at] === 0)
  preferNamed(scores, candidates, naming)
  if (parts.length === 0) return
  const share = plan.terms.length <= FEW_WORDS ? SUBMODULE_OF_FEW_WORDS : SUBMODULE
  const wrapper = asksForWrapper ? 1 : WRAPPER
  for (const { candidate, place } of parts) {
    scores[candidate] = share * (isWrapper(place.path) ? wrapper : 1) * (scores[candidate] ?? 0)
  }
  const roots = new Map(
    places.flatMap(({ candidate, place }) => (place.path === '.' ? [[place.repository, candidate]] : [])),
  )
  for (const { candidate, place } of parts) {
    const root = roots.get(place.repository)
    const score = scores[candidate] ?? 0
    const own = root === undefined ? 0 : (scores[root] ?? 0)
    if (root !== undefined && own <= score && own >= ROOT_NEAR * score) scores[root] = score * (1 + 1e-9)
  }
}

/** Lessens what is not named by as many words as another candidate. `naming`: by how many words each is named. */
function preferNamed(scores: Float64Array, candidates: readonly number[], naming: readonly number[]): void {
  const raised = naming.map((count) => 1 + NAMED_PART * Math.max(0, Math.min(MOST_RAISING, count - 1)))
  const most = Math.max(1, ...raised)
  for (const [at, candidate] of candidates.entries())
    scores[candidate] = ((scores[candidate] ?? 0) * (raised[at] ?? 1)) / most
}

/** Some repositories wrap each of their modules once more, for another tool. */
function isWrapper(path: string): boolean {
  return path === 'wrappers' || path.startsWith('wrappers/')
}

/**
 * How many words the last directory of a path has if the query has them all: `modules/fargate-profile` by "fargate profile";
 * otherwise 0. A word that is part of one in the name of the repository need not be said: `elasticache` has
 * `modules/serverless-cache`.
 */
function wordsNaming({ path, repository }: CandidatePlace, words: ReadonlySet<string>): number {
  const last = nameTokens(path.slice(path.lastIndexOf('/') + 1)).words
  const whole = nameTokens(repository.slice(repository.lastIndexOf('/') + 1)).words
  const isPart = (word: string): boolean =>
    whole.some((one) => one.length > word.length && words.has(one) && one.includes(word))
  const isNamed = last.every((word) => words.has(word) || isPart(word))
  return isNamed ? last.filter((word) => words.has(word)).length : 0
}
