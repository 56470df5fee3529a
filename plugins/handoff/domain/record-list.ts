import { type CursorKey, cursorOf, keyIn, questionName } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { shownLine } from './fence.ts'
import { firstBehind, orderOf, type Sort } from './list-order.ts'
import { type Filter, newestPage } from './newest-page.ts'
import { MAX_TERMS, parseQuery, type Query } from './query.ts'
import type { Flag, Relation, Status } from './record.ts'
import { searchRecords, snippetOf } from './record-search.ts'
import type { RecordTable } from './record-table.ts'
import { timeOf } from './record-time.ts'

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

/**
 * One page of the matching records. The cursor holds the key of the last one, so that unchanged records are neither
 * repeated nor skipped. Errors: `invalid`/`bad_cursor`, `invalid`/`unknown_field`, `invalid`/`invalid_arguments`.
 */
export async function listRecords(table: RecordTable, request: ListRequest) {
  const filter = filterOf(table, request)
  const query = request.query === undefined ? undefined : parseQuery(request.query)
  const searches = query !== undefined && query.terms.length > 0
  const sort = request.sort ?? (searches ? 'relevance' : 'updated')
  const after = cursorKey(request, sort)
  const wanted = { sort, after, limit: request.limit + 1, filter }
  const isByTime = !searches && sort === 'updated' && filter?.ofRecord !== false
  const { found, total } = isByTime
    ? newestPage(table, wanted)
    : await sortedPage(table, searches ? query : undefined, wanted)
  const page = found.slice(0, request.limit)
  const last = page.at(-1)
  return {
    items: await listed(table, page, searches ? query : undefined),
    next_cursor: found.length > page.length && last ? cursorOf(questionOf(request, sort), last.key) : null,
    total,
    warnings: unusedOf(request.query, query),
  }
}

/** What of a query decided nothing. `*` asks for every record. */
function unusedOf(text: string | undefined, query: Query | undefined): readonly string[] {
  if (!query || text === undefined) return []
  if (query.ignored > 0) return [`Only the first ${MAX_TERMS} words of the query were used.`]
  const isForAll = query.terms.length > 0 || /^[\s*]*$/.test(text)
  return isForAll ? [] : ['The query has no letter and no digit: every record is listed.']
}

interface Wanted {
  readonly sort: Sort
  readonly after: CursorKey | undefined
  readonly limit: number
  readonly filter: Filter | undefined
}

/** The first hits behind the key, of all that were looked at, one by one. */
async function sortedPage(
  table: RecordTable,
  query: Query | undefined,
  { sort, after, limit, filter }: Wanted,
): Promise<{ readonly found: readonly Hit[]; readonly total: number }> {
  const kept = filter && table.records.filter(filter.test)
  const hits = query ? searchRecords(query, table, kept) : { records: kept ?? table.records }
  const titles = sort === 'title' ? await titlesOf(table, hits.records) : undefined
  const first = firstBehind(hits.records.length, orderOf(table, hits, { sort, titles }), { after, limit })
  return {
    found: first.map(({ at, key }) => ({ record: hits.records[at] ?? 0, score: hits.scores?.[at], key })),
    total: hits.records.length,
  }
}

interface Hit {
  readonly record: number
  readonly score?: number | undefined
  readonly key: CursorKey
}

/** Absent: every record is asked for. */
function filterOf(table: RecordTable, request: ListRequest): Filter | undefined {
  const since = limitOf('since', request.since)
  const until = limitOf('until', request.until)
  const { status, flags, relation, harness, project_id, actor, parent } = request
  const tests: ((record: number) => boolean)[] = []
  if (status?.length) tests.push((record) => status.includes(table.status(record)))
  if (flags?.length) tests.push((record) => flags.some((flag) => table.hasFlag(record, flag)))
  if (relation !== undefined) tests.push((record) => table.relation(record) === relation)
  for (const [field, value] of Object.entries({ harness, project: project_id, actor })) {
    if (value === undefined) continue
    tests.push(table.hasValue(field as 'harness' | 'project' | 'actor', value)) // the names above
  }
  if (since !== undefined) tests.push((record) => table.updatedMs(record) >= since)
  if (until !== undefined) tests.push((record) => table.updatedMs(record) <= until)
  if (parent !== undefined) {
    const children = new Set(table.childrenOf(parent))
    tests.push((record) => children.has(record))
  }
  if (request.leaf_only) tests.push((record) => table.isLeaf(record))
  if (tests.length === 0) return undefined
  return {
    test: (record) => tests.every((test) => test(record)),
    ofRecord:
      parent === undefined &&
      !request.leaf_only &&
      JSON.stringify([status, flags, relation, harness, project_id, actor, since, until]),
  }
}

function limitOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = timeOf(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  if (time !== undefined) return time
  throw refusals.not_a_time({ name }, { errors: [{ pointer: `/${name}`, message: 'not a time' }] })
}

const TITLE_CHARS = 200

async function titlesOf(table: RecordTable, all: Int32Array): Promise<ReadonlyMap<number, string>> {
  const titles = new Map<number, string>()
  for (let from = 0; from < all.length; from += 1000) {
    const records = [...all.subarray(from, from + 1000)]
    for (const [at, row] of (await table.load(records)).entries()) {
      titles.set(records[at] ?? 0, row.title.slice(0, TITLE_CHARS).toLowerCase())
    }
  }
  return titles
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

async function listed(
  table: RecordTable,
  hits: readonly Hit[],
  query: Query | undefined,
): Promise<readonly ListedRecord[]> {
  const records = hits.map(({ record }) => record)
  const [rows, texts] = [await table.load(records), query ? await table.texts(records) : []]
  return rows.map((row, at) => {
    const score = hits[at]?.score
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
      ...(query && { snippet: snippetOf(texts[at] ?? [], query) }),
    }
  })
}
