import { addTo } from '../../../server/plugin.ts'
import { isEditable, UNWRITTEN_PROJECT } from './record.ts'
import type { RecordRow } from './record-row.ts'
import { isFuture, isNewer, newestBatches, newestOf, putNewest, type RecordTable } from './record-table.ts'

/** Parent id (lower case) -> its children. */
export function childrenOf(rows: readonly RecordRow[]): ReadonlyMap<string, readonly RecordRow[]> {
  const children = new Map<string, RecordRow[]>()
  for (const row of rows) {
    for (const parent of new Set(row.parents.map((id) => id.toLowerCase()))) addTo(children, parent, row)
  }
  return children
}

/** Records that no ready, resumed or superseded child goes on from. A draft never hides its parent. */
export function leavesOf(rows: readonly RecordRow[]): readonly RecordRow[] {
  const children = childrenOf(rows)
  const hides = ({ status }: RecordRow) =>
    status === 'ready' || status === 'resumed' || status === 'superseded'
  return rows.filter((row) => !(children.get(row.id.toLowerCase()) ?? []).some(hides))
}

/** Who asks for the record to continue from; what is absent decides nothing. */
export interface Continuing {
  /** Every name of the session. */
  readonly names: readonly string[]
  /** What it has resumed on this machine. */
  readonly claimed: ReadonlySet<number>
  /** What a hook or a resume gave it last, on this machine. */
  readonly given?: ReadonlySet<number>
  readonly branch: string | undefined
  readonly projectId: string | undefined
  readonly nowMs: number
}

/**
 * The record to continue from (design round-2, section 2): the session's own described draft; what it released or
 * resumed; what it was given; the latest described record of the branch, of the project, of the store, released ones
 * first; a skeleton last. A session's own records are newer for it than what others wrote meanwhile; what others dated in
 * the future is never chosen.
 */
export function recordToContinue(table: RecordTable, who: Continuing): number | undefined {
  return ownToContinue(table, who) ?? othersToContinue(table, who)
}

/** The lowest rank of a described record of another session, whose claim this one does not have. */
const FIRST_OF_OTHERS = 2

/** What the session itself wrote, resumed or was given. It has few records: they are looked up, the others are not looked at. */
export function ownToContinue(table: RecordTable, who: Continuing): number | undefined {
  const { names, claimed, given = NO_RECORDS } = who
  const newest = (records: readonly number[]) =>
    newestOf(table, records).find((record) => table.isLeaf(record))
  const written = ownRecords(table, names)
  const held = [...claimed, ...names.flatMap((name) => table.withValue('claim', name))]
  const released = written.filter((record) => !isEditable({ status: table.status(record) }))
  const draft = newest(written.filter((record) => isEditable({ status: table.status(record) })))
  if (draft !== undefined && !isOvertaken(table, draft, newest(released))) return draft
  return newest(openOf(table, who, [...released, ...held])) ?? newest(openOf(table, who, [...given]))
}

const NO_RECORDS: ReadonlySet<number> = new Set()

/** Open and described records of a session, continued or not. */
function ownRecords(table: RecordTable, names: readonly string[]): readonly number[] {
  const written = new Set(names.flatMap((name) => table.withValue('session', name)))
  return [...written].filter((record) => OPEN.has(table.status(record)) && !table.isSkeleton(record))
}

/** Of these records the open and described ones that may be chosen. */
function openOf(
  table: RecordTable,
  { names, nowMs }: Continuing,
  records: readonly number[],
): readonly number[] {
  const isOwn = isAmong(table, 'session', names)
  return [...new Set(records)].filter(
    (record) =>
      OPEN.has(table.status(record)) &&
      !table.isSkeleton(record) &&
      (isOwn(record) || !isFuture(table.updatedMs(record), nowMs)),
  )
}

/**
 * True if the session released a record after it last wrote its draft, which does not go on from that. Another session
 * that resumed the release changed its time: then only the time at which it was made is certain.
 */
function isOvertaken(table: RecordTable, draft: number, release: number | undefined): boolean {
  if (release === undefined || goesOnFrom(table, draft, release)) return false
  const releasedMs = table.status(release) === 'ready' ? table.updatedMs(release) : table.createdMs(release)
  return releasedMs > table.updatedMs(draft)
}

/** Generations of drafts that are looked through. */
const MAX_GENERATIONS = 8

function goesOnFrom(table: RecordTable, draft: number, ancestor: number): boolean {
  let generation: readonly number[] = [ancestor]
  for (let depth = 0; depth < MAX_GENERATIONS && generation.length > 0; depth++) {
    generation = generation.flatMap((record) => table.childrenOf(table.id(record)))
    if (generation.includes(draft)) return true
  }
  return false
}

/** Of what others wrote the newest of the lowest rank, the parts of the store with the newest records first. */
export function othersToContinue(table: RecordTable, who: Continuing): number | undefined {
  const rankOf = rankingFor(table, who)
  const lowest = lowestOfOthers(table, who)
  const newest: number[][] = []
  for (const { newestMs, records } of newestBatches(table)) {
    const found = newest[lowest]?.find((record) => table.isLeaf(record))
    if (found !== undefined && table.updatedMs(found) > newestMs) return found
    for (const record of records()) putRanked(table, newest, { record, rank: rankOf(record) })
  }
  for (const [rank, few] of newest.entries()) {
    const found =
      few?.find((record) => table.isLeaf(record)) ?? (few && newestLeaf(table, rankOf, { rank, few }))
    if (found !== undefined) return found
  }
  return undefined
}

function putRanked(
  table: RecordTable,
  newest: number[][],
  { record, rank }: { readonly record: number; readonly rank: number | undefined },
): void {
  if (rank === undefined || rank < FIRST_OF_OTHERS) return
  const few = newest[rank] ?? []
  newest[rank] = few
  putNewest(table, few, { record, count: KEPT })
}

/**
 * Newest leaves that may be nearer to what is checked out than `picked`, which the names of branches chose: of this
 * project, of another branch, released as it is or a draft as it is. Where it is of this branch, only newer ones.
 */
export function rivalsOf(table: RecordTable, who: Continuing, picked: number): readonly number[] {
  const rankOf = rankingFor(table, who)
  const rank = rankOf(picked)
  if (rank === undefined || rank < FIRST_OF_OTHERS || rank >= OTHER_PROJECT) return []
  const isOfBranch = rank < OTHER_BRANCH
  const wanted = isOfBranch ? rank + OTHER_BRANCH - FIRST_OF_OTHERS : rank
  const sinceMs = isOfBranch ? table.updatedMs(picked) : Number.NEGATIVE_INFINITY
  return newestLeaves(table, sinceMs, (record) => record !== picked && rankOf(record) === wanted)
}

/** The newest leaves that pass a test and were updated after a time, newest first. */
function newestLeaves(
  table: RecordTable,
  sinceMs: number,
  passes: (record: number) => boolean,
): readonly number[] {
  const found: number[] = []
  for (const { newestMs, records } of newestBatches(table)) {
    const last = found.length === MAX_RIVALS ? found.at(-1) : undefined
    const boundMs = last === undefined ? sinceMs : table.updatedMs(last)
    if (newestMs < boundMs) break
    for (const record of records()) {
      const isLate = table.updatedMs(record) >= boundMs && table.updatedMs(record) > sinceMs
      if (isLate && passes(record) && table.isLeaf(record))
        putNewest(table, found, { record, count: MAX_RIVALS })
    }
  }
  return found
}

/** Of so many the captured commit is read. */
const MAX_RIVALS = 8

/** No record of others can have a lower rank than this. */
function lowestOfOthers(table: RecordTable, { branch, projectId }: Continuing): number {
  if (!projectsOf(projectId).some((project) => table.hasAny('project', project))) return OTHER_PROJECT
  return branch !== undefined && table.hasAny('branch', branch) ? FIRST_OF_OTHERS : OTHER_BRANCH
}

function projectsOf(projectId: string | undefined): readonly string[] {
  return projectId === undefined ? [] : [projectId, UNWRITTEN_PROJECT]
}

const OTHER_BRANCH = 4
const OTHER_PROJECT = 6

/** Of each rank so many are kept while looking for the newest: whether a record is continued costs more to tell. */
const KEPT = 4

/** Where the newest of a rank are all continued, every other one is asked. */
function newestLeaf(
  table: RecordTable,
  rankOf: Rank,
  { rank, few }: { readonly rank: number; readonly few: readonly number[] },
): number | undefined {
  if (few.length < KEPT) return undefined
  let newest: number | undefined
  for (const record of table.records) {
    if (rankOf(record) !== rank || (newest !== undefined && !isNewer(table, record, newest))) continue
    if (table.isLeaf(record)) newest = record
  }
  return newest
}

type Rank = (record: number) => number | undefined

/** The position of a record among the kinds that `recordToContinue` names; undefined for a closed one. */
function rankingFor(table: RecordTable, { names, claimed, branch, projectId, nowMs }: Continuing): Rank {
  const isOwn = isAmong(table, 'session', names)
  const isNamed = isAmong(table, 'claim', names)
  const isClaimed = (record: number) => claimed.has(record) || isNamed(record)
  const isOfProject = isAmong(table, 'project', projectsOf(projectId))
  const isOfBranch = isAmong(table, 'branch', branch === undefined ? [] : [branch])
  /** Of what others wrote. */
  const placeOf = (record: number): number => {
    if (!isOfProject(record)) return OTHER_PROJECT
    return isOfBranch(record) ? FIRST_OF_OTHERS : OTHER_BRANCH
  }
  const describedRank = (record: number, isDraft: boolean): number => {
    if (isOwn(record)) return isDraft ? 0 : 1
    return isClaimed(record) ? 1 : placeOf(record) + (isDraft ? 1 : 0)
  }
  return (record) => {
    const status = table.status(record)
    if (!OPEN.has(status)) return undefined
    if (isFuture(table.updatedMs(record), nowMs) && !isOwn(record)) return undefined
    if (table.isSkeleton(record)) return isOwn(record) ? 8 : 9
    return describedRank(record, status === 'draft' || status === 'validated')
  }
}

const OPEN: ReadonlySet<string> = new Set(['draft', 'validated', 'ready', 'resumed'])

function isAmong(
  table: RecordTable,
  field: 'session' | 'claim' | 'project' | 'branch',
  values: readonly string[],
): (record: number) => boolean {
  const [first, ...others] = values.map((value) => table.hasValue(field, value))
  if (!first) return () => false
  // Asked for every record of the store: mostly there is one value.
  return others.length === 0 ? first : (record) => first(record) || others.some((test) => test(record))
}

/** `recordToContinue` for a caller of whom nothing is known. */
export function latestRecord(table: RecordTable, nowMs: number): number | undefined {
  const nothing = { names: [], claimed: new Set<number>(), branch: undefined, projectId: undefined }
  return recordToContinue(table, { ...nothing, nowMs })
}

/** By time of update, then by id, newest first. */
export function newestFirst(a: RecordRow, b: RecordRow): number {
  return b.updatedMs - a.updatedMs || (a.id.toLowerCase() < b.id.toLowerCase() ? 1 : -1)
}
