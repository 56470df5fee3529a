import { type CursorKey, compareKeys, cursorOf, keyIn, questionName } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { shownLine } from './fence.ts'
import { leavesOf } from './latest.ts'
import { MAX_TERMS, parseQuery, type Query } from './query.ts'
import type { Flag, Relation, Status } from './record.ts'
import type { RecordRow } from './record-row.ts'
import { type SearchHit, searchRows, snippetOf } from './record-search.ts'
import { timeOf } from './record-time.ts'

export const SORTS = ['relevance', 'updated', 'created', 'title'] as const
export type Sort = (typeof SORTS)[number]

export interface ListRequest {
  readonly status?: readonly Status[] | undefined
  readonly flags?: readonly Flag[] | undefined
  readonly relation?: Relation | undefined
  readonly harness?: string | undefined
  readonly project_id?: string | undefined
  readonly actor?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly parent?: string | undefined
  readonly leaf_only?: boolean | undefined
  readonly query?: string | undefined
  /** Absent: relevance with a query, else updated. */
  readonly sort?: Sort | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export interface ListedRecord {
  readonly id: string
  readonly uri: string
  readonly title: string
  readonly status: Status
  readonly flags: readonly Flag[]
  readonly updated_at: string
  readonly relation: Relation
  readonly parents: readonly string[]
  readonly open_high: number
  readonly next_action: string | null
  readonly score?: number
  readonly snippet?: string
}

export interface ListPage {
  readonly items: readonly ListedRecord[]
  readonly next_cursor: string | null
  readonly total: number
  readonly warnings: readonly string[]
}

/**
 * One page of the matching rows. The cursor holds the key of the last row, so that unchanged rows are neither repeated
 * nor skipped. Errors: `invalid`/`bad_cursor`, `invalid`/`unknown_field`, `invalid`/`invalid_arguments`.
 */
export function listRows(rows: readonly RecordRow[], request: ListRequest): ListPage {
  const kept = (request.leaf_only ? leavesOf(rows) : rows).filter(filterOf(request))
  const query = request.query === undefined ? undefined : parseQuery(request.query)
  const searches = query !== undefined && query.terms.length > 0
  const hits: readonly Hit[] = searches ? searchRows(query, kept) : kept.map((row) => ({ row }))
  const sort = request.sort ?? (searches ? 'relevance' : 'updated')
  const keyed = hits.map((hit) => ({ hit, key: keyOf(hit, sort) })).sort((a, b) => compareKeys(a.key, b.key))
  const after = cursorKey(request, sort)
  const from = after === undefined ? 0 : firstBehind(keyed, after)
  const page = keyed.slice(from, from + request.limit)
  const last = page.at(-1)
  const hasMore = from + page.length < keyed.length
  return {
    items: page.map(({ hit }) => listed(hit, searches ? query : undefined)),
    next_cursor: hasMore && last ? cursorOf(questionOf(request, sort), last.key) : null,
    total: hits.length,
    warnings: query && query.ignored > 0 ? [`Only the first ${MAX_TERMS} words of the query were used.`] : [],
  }
}

interface Hit extends Partial<SearchHit> {
  readonly row: RecordRow
}

function filterOf(request: ListRequest): (row: RecordRow) => boolean {
  const since = limitOf('since', request.since)
  const until = limitOf('until', request.until)
  const parent = request.parent?.toLowerCase()
  const { status, flags, relation, harness, project_id, actor } = request
  const tests: ((row: RecordRow) => boolean)[] = []
  if (status?.length) tests.push((row) => status.includes(row.status))
  if (flags?.length) tests.push((row) => flags.some((flag) => row.flags.includes(flag)))
  if (relation !== undefined) tests.push((row) => row.relation === relation)
  if (harness !== undefined) tests.push((row) => row.harness === harness)
  if (project_id !== undefined) tests.push((row) => row.project_id === project_id)
  if (actor !== undefined) tests.push((row) => row.actor === actor)
  if (since !== undefined) tests.push((row) => row.updatedMs >= since)
  if (until !== undefined) tests.push((row) => row.updatedMs <= until)
  if (parent !== undefined) tests.push((row) => row.parents.some((id) => id.toLowerCase() === parent))
  return (row) => tests.every((test) => test(row))
}

function limitOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = timeOf(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  if (time !== undefined) return time
  throw refusals.not_a_time({ name }, { errors: [{ pointer: `/${name}`, message: 'not a time' }] })
}

/** Ascending keys in the order of the list. The id makes each unique. */
function keyOf({ row, score = 0 }: Hit, sort: Sort): CursorKey {
  const newest = -row.updatedMs
  const id = row.id.toLowerCase()
  if (sort === 'relevance') return [-score, newest, id]
  if (sort === 'title') return [row.title.slice(0, TITLE_CHARS).toLowerCase(), newest, id]
  return [sort === 'created' ? -(timeOf(row.created_at) ?? row.updatedMs) : newest, id]
}

function firstBehind(keyed: readonly { readonly key: CursorKey }[], after: CursorKey): number {
  let low = 0
  let high = keyed.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareKeys(keyed[middle]?.key ?? [], after) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Identifies the request of a cursor. The page size may change. */
function questionOf({ limit: _limit, cursor: _cursor, ...question }: ListRequest, sort: Sort): string {
  return questionName({ ...question, sort })
}

function cursorKey(request: ListRequest, sort: Sort): CursorKey | undefined {
  if (request.cursor === undefined) return undefined
  const key = keyIn(request.cursor, questionOf(request, sort))
  if (key) return key
  throw refusals.bad_cursor({ next: { tool: 'handoff_list', args: {} } })
}

const TITLE_CHARS = 200

function listed({ row, score }: Hit, query: Query | undefined): ListedRecord {
  return {
    id: row.id,
    uri: `handoff://${row.id}`,
    title: shownLine(row.title).slice(0, TITLE_CHARS),
    status: row.status,
    flags: row.flags,
    updated_at: row.updated_at,
    relation: row.relation,
    parents: row.parents,
    open_high: row.open_high,
    next_action: row.next_action === null ? null : shownLine(row.next_action).slice(0, TITLE_CHARS),
    ...(score !== undefined && { score }),
    ...(query && { snippet: snippetOf(row, query) }),
  }
}
