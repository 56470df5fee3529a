import { highest } from './best-first.ts'
import { nothingFits } from './fit.ts'
import type { KeywordIndex, KeywordScores } from './keyword-index.ts'
import { otherProviderShare, preferRoots } from './preferences.ts'
import type { QueryPlan } from './query-plan.ts'
import type { SearchIndex } from './search-index.ts'
import type { VectorMatches } from './vector-store.ts'

/** Records that pass the filters, by number. */
export interface Candidates {
  /** Rows of the index; -1 for a record that only the store knows. */
  readonly rows: readonly number[]
  /** Places in `near`; -1 for a record without a vector. */
  readonly matches: readonly number[]
  readonly near: VectorMatches | undefined
}

/** The candidates of which something is true. */
export function placesWhere(length: number, isWanted: (at: number) => boolean): number[] {
  const places: number[] = []
  for (let at = 0; at < length; at++) if (isWanted(at)) places.push(at)
  return places
}

/** Candidates among which modules are preferred to their parts: each is read from a file. */
const PREFERRED = 200

/** Prefers the provider that the query names, and modules to their parts. */
export function prefer(
  index: SearchIndex,
  scores: Float64Array,
  { rows, matches, near }: Candidates,
  { wanted, plan }: { readonly wanted: readonly number[]; readonly plan: QueryPlan },
): void {
  preferProvider(index, scores, { rows, wanted, plan })
  const best = highest(wanted, scores, PREFERRED)
  const placeOfCandidate = (at: number) => {
    const row = rows[at] ?? -1
    if (row >= 0) return index.record(row)
    return near?.record(matches[at] ?? 0).metadata ?? { repository: '', path: '', kind: '' }
  }
  preferRoots(scores, best, placeOfCandidate, plan)
  for (const at of wanted) {
    const row = rows[at] ?? -1
    if (row >= 0 && index.removedSince(row) !== undefined) scores[at] = REMOVED_SHARE * (scores[at] ?? 0)
  }
}

interface Preferred {
  readonly rows: readonly number[]
  readonly wanted: readonly number[]
  readonly plan: QueryPlan
}

function preferProvider(index: SearchIndex, scores: Float64Array, { rows, wanted, plan }: Preferred): void {
  const providers = plan.provider?.providers
  if (!providers) return
  const own = new Uint8Array(index.records)
  for (const row of index.select({ providers })) own[row] = 1
  const share = otherProviderShare(plan)
  for (const at of wanted) if (own[rows[at] ?? -1] !== 1) scores[at] = share * (scores[at] ?? 0)
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
  const best = ranked.slice(0, BEST).map((at) => {
    const row = candidates.rows[at] ?? -1
    return new Set(row < 0 ? [] : Object.keys(keyword.match(index.textOf(row)).match))
  })
  return nothingFits(
    plan,
    words.vocabulary,
    best,
    providers.some((name) => known.includes(name)),
  )
}
