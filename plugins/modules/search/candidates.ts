import { ENDED } from '../segments/segment-set.ts'
import { highest, type Place } from './best-first.ts'
import type { ScoreSteps } from './explain.ts'
import { type FitEvidence, nothingFits } from './fit.ts'
import { isOfRows, joinIds } from './join-ids.ts'
import { fieldsOf, type KeywordIndex, type KeywordScores } from './keyword-index.ts'
import { putNamedFirst } from './named-first.ts'
import { type CandidatePlace, otherProviderShare, preferRoots } from './preferences.ts'
import { shownAs } from './products.ts'
import type { QueryPlan } from './query-plan.ts'
import { EXAMPLE, moduleKey } from './record-columns.ts'
import type { SearchIndex } from './search-index.ts'
import type { TextIndex } from './text-index.ts'
import type { VectorFilter, VectorMatches } from './vector-store.ts'

/** Records that pass the filters, by number. */
export interface Candidates {
  /** Rows of the index; -1 for a record that only the store knows. */
  readonly rows: Int32Array
  /** Places in `near`; -1 for a record without a vector. */
  readonly matches: Int32Array
  readonly near: VectorMatches | undefined
}

/** What passes a filter, and what the store found of it. */
export function candidatesOf(
  index: SearchIndex,
  filter: VectorFilter,
  near: VectorMatches | undefined,
): Candidates {
  const rows = index.select(filter)
  if (!near) return { rows, matches: new Int32Array(rows.length).fill(-1), near }
  const { passing } = near
  if (passing && isOfRows(index, rows, passing)) return { rows, matches: passing.matches, near }
  const { matchOf, foreign } = joinIds(index, near)
  const others = foreign.filter((match) => !Number.isNaN(near.cosines[match]))
  const matches = new Int32Array(rows.length + others.length)
  for (let at = 0; at < rows.length; at++) matches[at] = matchOf[rows[at] ?? 0] ?? -1
  matches.set(others, rows.length)
  if (others.length === 0) return { rows, matches, near }
  const all = new Int32Array(matches.length).fill(-1)
  all.set(rows)
  return { rows: all, matches, near }
}

/** Tells which candidates are examples. */
export function exampleTest(
  index: SearchIndex,
  { rows, matches, near }: Candidates,
): (at: number) => boolean {
  const kinds = index.kinds()
  return (at) => {
    const row = rows[at] ?? -1
    return row >= 0 ? kinds[row] === EXAMPLE : near?.record(matches[at] ?? 0).metadata.kind === 'example'
  }
}

/** What decides between candidates with equal scores. */
export function placeOf(index: SearchIndex, { rows, matches, near }: Candidates, at: number): Place {
  const row = rows[at] ?? -1
  if (row < 0 && near) {
    const { metadata } = near.record(matches[at] ?? 0)
    return { ...metadata, isLatest: metadata.latest }
  }
  const { ref, repository, path } = index.record(row)
  return { ref, repository, path, isLatest: index.isLatest(row) }
}

/** A number for the module of a candidate. */
export function moduleOf(index: SearchIndex, { rows, matches, near }: Candidates, at: number): number {
  const row = rows[at] ?? -1
  if (row >= 0) return index.moduleOf(row)
  const record = near?.record(matches[at] ?? 0)
  return record ? moduleKey(record.metadata) : -1
}

/** Candidates among which modules are preferred to their parts: each is read from a file. */
const PREFERRED = 200

interface Wish {
  readonly wanted: Int32Array
  readonly plan: QueryPlan
  /** Where names are looked up; absent: vectors alone rank. */
  readonly words: KeywordIndex | undefined
  readonly steps: Pick<ScoreSteps, 'note'>
}

/** Prefers the provider that the query names, modules to their parts, and what has a name that the query has. */
export function prefer(
  index: SearchIndex,
  scores: Float64Array,
  { rows, matches, near }: Candidates,
  { wanted, plan, words, steps }: Wish,
): void {
  preferProvider(index, scores, { rows, wanted, plan })
  steps.note('provider')
  const best = highest(wanted, scores, PREFERRED)
  const placeOfCandidate = (at: number) => {
    const row = rows[at] ?? -1
    if (row >= 0) return placeOfRow(index, row)
    return near?.record(matches[at] ?? 0).metadata ?? { repository: '', path: '', kind: '' }
  }
  preferRoots(scores, best, placeOfCandidate, plan)
  steps.note('kind')
  // After roots were preferred to their parts: a root without the name does not come before a part that has it.
  if (words) putNamedFirst(scores, rows, plan, { index, words })
  steps.note('name')
  if (!index.hasRemoved) return
  const { flags } = index.set
  for (const at of wanted) {
    const row = rows[at] ?? -1
    const mayBeRemoved = row >= 0 && ((flags[row] ?? 0) & ENDED) !== 0
    if (mayBeRemoved && index.removedSince(row) !== undefined) scores[at] = REMOVED_SHARE * (scores[at] ?? 0)
  }
  steps.note('removed')
}

/** The kind is known; what else is asked for is read from a file. */
function placeOfRow(index: SearchIndex, row: number): CandidatePlace {
  return {
    kind: index.kindOf(row),
    get repository() {
      return index.record(row).repository
    },
    get path() {
      return index.record(row).path
    },
  }
}

interface Preferred {
  readonly rows: Int32Array
  readonly wanted: Int32Array
  readonly plan: QueryPlan
}

function preferProvider(index: SearchIndex, scores: Float64Array, { rows, wanted, plan }: Preferred): void {
  const providers = plan.provider?.providers
  if (!providers) return
  const isOwn = index.passing({ providers })
  const share = otherProviderShare(plan)
  for (let n = 0; n < wanted.length; n++) {
    const at = wanted[n] ?? 0
    const row = rows[at] ?? -1
    if (row < 0 || !isOwn(row)) scores[at] = share * (scores[at] ?? 0)
  }
}

/** So little of its score keeps a module that the newest release of its repository lacks: any living one comes first. */
const REMOVED_SHARE = 0.001

interface Found {
  readonly candidates: Candidates
  readonly ranked: readonly number[]
  readonly keyword: KeywordScores | undefined
}

/** Results that are looked at to tell whether anything fits. */
const BEST = 10

/** Whether a query asks for what no module here is about. */
export function asksForNothingHere(
  index: SearchIndex,
  plan: QueryPlan,
  words: KeywordIndex,
  { candidates, ranked, keyword }: Found,
): boolean {
  if (words.size === 0 || !keyword) return false
  const providers = plan.provider?.providers ?? []
  const known = providers.length === 0 ? [] : index.providers()
  const names = plan.products.flatMap(shownAs)
  const best = ranked.slice(0, BEST).flatMap((at) => {
    const row = candidates.rows[at] ?? -1
    return row < 0 ? [] : [evidenceOfRow(index, row, { keyword, texts: words.texts, names, providers })]
  })
  return nothingFits(
    plan,
    words.vocabulary,
    best,
    providers.some((name) => known.includes(name)),
  )
}

/** Fields that show what a module is; inputs and outputs may be for others. */
const SHOWING: ReadonlySet<string> = new Set(['name', 'description', 'resources'])

/** What a result is looked at for. */
interface Looked {
  readonly keyword: KeywordScores
  readonly texts: TextIndex
  /** Names of the products that are asked for, as stems; a query has only some of them. */
  readonly names: readonly (readonly string[])[]
  readonly providers: readonly string[]
}

function evidenceOfRow(
  index: SearchIndex,
  row: number,
  { keyword, texts, names, providers }: Looked,
): FitEvidence {
  const text = index.textOf(row)
  const { match, about, says } = keyword.match(text)
  const terms = [
    ...Object.entries(match),
    ...names.map((name) => [name.join(' '), fieldsOfName(texts, name, text)] as const),
  ]
  const isTelling = (field: string): boolean => field !== 'readme' && field !== 'variables'
  const inFields = (isWanted: (field: string) => boolean) =>
    new Set(terms.flatMap(([term, fields]) => (fields.some(isWanted) ? [term] : [])))
  return {
    terms: inFields(() => true),
    named: inFields(isTelling),
    shown: inFields((field) => SHOWING.has(field)),
    about: new Set(about),
    says: new Set(says),
    isOfProvider:
      providers.length === 0 || index.record(row).providers.some((one) => providers.includes(one)),
  }
}

/**
 * The fields of a text that have a name. All words have to be in one of them, other than the types of resources, which have
 * words of many names: a type that is one is written as one word.
 */
function fieldsOfName(texts: TextIndex, [first = '', ...more]: readonly string[], text: number): string[] {
  const fields = fieldsOf(texts, first, text)
  if (more.length === 0) return fields
  const having = more.map((word) => fieldsOf(texts, word, text))
  return fields.filter((field) => field !== 'resources' && having.every((one) => one.includes(field)))
}
