import { type CursorKey, compareKeys, cursorOf, keyIn, questionName } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { shownLine } from './fence.ts'
import { MAX_TERMS, parseQuery, type Query } from './query.ts'
import type { Flag, Relation, Status } from './record.ts'
import { type Hits, searchRecords, snippetOf } from './record-search.ts'
import type { RecordTable } from './record-table.ts'
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
 * One page of the matching records. The cursor holds the key of the last one, so that unchanged records are neither
 * repeated nor skipped. Errors: `invalid`/`bad_cursor`, `invalid`/`unknown_field`, `invalid`/`invalid_arguments`.
 */
export async function listRecords(table: RecordTable, request: ListRequest): Promise<ListPage> {
  const test = filterOf(table, request)
  const query = request.query === undefined ? undefined : parseQuery(request.query)
  const searches = query !== undefined && query.terms.length > 0
  const sort = request.sort ?? (searches ? 'relevance' : 'updated')
  const after = cursorKey(request, sort)
  const kept = test && table.records.filter(test)
  const hits = searches ? searchRecords(query, table, kept) : { records: kept ?? table.records }
  const titles = sort === 'title' ? await titlesOf(table, hits.records) : undefined
  const order = orderOf(table, hits, { sort, titles })
  const found = firstBehind(hits.records.length, order, { after, limit: request.limit + 1 })
  const page = found.slice(0, request.limit)
  const last = page.at(-1)
  return {
    items: await listed(
      table,
      page.map(({ at }) => ({ record: hits.records[at] ?? 0, score: hits.scores?.[at] })),
      searches ? query : undefined,
    ),
    next_cursor: found.length > page.length && last ? cursorOf(questionOf(request, sort), last.key) : null,
    total: hits.records.length,
    warnings: query && query.ignored > 0 ? [`Only the first ${MAX_TERMS} words of the query were used.`] : [],
  }
}

interface Hit {
  readonly record: number
  readonly score: number | undefined
}

/** Absent: every record is asked for. */
function filterOf(table: RecordTable, request: ListRequest): ((record: number) => boolean) | undefined {
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
  return tests.length === 0 ? undefined : (record) => tests.every((test) => test(record))
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

/** The order of a list: keys that ascend, of hits by their places. */
interface Order {
  /** The parts at the beginning of a key that are numbers. */
  readonly numbers: readonly ((at: number) => number)[]
  /** The id makes each key unique. */
  keyOf(at: number): CursorKey
}

function orderOf(
  table: RecordTable,
  { records, scores }: Hits,
  { sort, titles }: { readonly sort: Sort; readonly titles: ReadonlyMap<number, string> | undefined },
): Order {
  const newest = (at: number) => -table.updatedMs(records[at] ?? 0)
  const id = (at: number) => table.id(records[at] ?? 0)
  if (sort === 'title') {
    const title = (at: number) => titles?.get(records[at] ?? 0) ?? ''
    return { numbers: [], keyOf: (at) => [title(at), newest(at), id(at)] }
  }
  if (sort === 'relevance') {
    const best = (at: number) => -(scores?.[at] ?? 0)
    return { numbers: [best, newest], keyOf: (at) => [best(at), newest(at), id(at)] }
  }
  const first = sort === 'created' ? (at: number) => -table.createdMs(records[at] ?? 0) : newest
  return { numbers: [first], keyOf: (at) => [first(at), id(at)] }
}

interface Keyed {
  readonly at: number
  readonly key: CursorKey
}

/** The first of so many hits behind a key in their order, at most `limit`. The others are never sorted. */
function firstBehind(
  count: number,
  { numbers, keyOf }: Order,
  { after, limit }: { readonly after: CursorKey | undefined; readonly limit: number },
): readonly Keyed[] {
  const first: Keyed[] = []
  /** The last key once there are enough: most hits end at a comparison with its numbers. */
  let highest: CursorKey | undefined
  const most = highestOf(count, numbers, { after, limit })
  const isOutside = (hit: number): boolean =>
    (numbers[0]?.(hit) ?? 0) > most ||
    (highest !== undefined && comparedNumbers(numbers, hit, highest) > 0) ||
    (after !== undefined && comparedNumbers(numbers, hit, after) < 0)
  for (let hit = 0; hit < count; hit++) {
    if (isOutside(hit)) continue
    const key = keyOf(hit)
    if (after && compareKeys(key, after) <= 0) continue
    first.splice(placeOf(first, key), 0, { at: hit, key })
    if (first.length > limit) first.pop()
    if (first.length === limit) highest = first.at(-1)?.key
  }
  return first
}

/**
 * The highest first number that a hit among the first so many has. To find it makes no key: in an order that is the wrong
 * way round every hit would need one, and would be the first until the next one comes.
 */
function highestOf(
  count: number,
  numbers: Order['numbers'],
  { after, limit }: { readonly after: CursorKey | undefined; readonly limit: number },
): number {
  const [number] = numbers
  if (!number || count <= limit) return Number.POSITIVE_INFINITY
  const lowest = new Float64Array(limit).fill(Number.POSITIVE_INFINITY) // ascending
  for (let hit = 0; hit < count; hit++) {
    const own = number(hit)
    if (own >= (lowest[limit - 1] ?? 0)) continue
    // Hits with the numbers of the cursor may be before it: they do not count.
    if (after && comparedNumbers(numbers, hit, after) <= 0) continue
    let at = limit - 1
    for (; at > 0 && own < (lowest[at - 1] ?? 0); at--) lowest[at] = lowest[at - 1] ?? 0
    lowest[at] = own
  }
  return lowest[limit - 1] ?? 0
}

/** Above 0 if the numbers of a hit are behind those of a key, 0 if they are equal. */
function comparedNumbers(numbers: Order['numbers'], hit: number, key: CursorKey): number {
  for (let n = 0; n < numbers.length; n++) {
    const difference = (numbers[n]?.(hit) ?? 0) - Number(key[n])
    if (difference !== 0) return difference
  }
  return 0
}

function placeOf(sorted: readonly Keyed[], key: CursorKey): number {
  let at = sorted.length
  while (at > 0 && compareKeys(key, sorted[at - 1]?.key ?? []) < 0) at--
  return at
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
