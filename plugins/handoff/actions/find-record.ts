import type { SatchelError } from '../../../server/plugin.ts'
import { idIn, isUuid, matchingIds } from '../domain/record-id.ts'
import { isFuture, newestAmong, type RecordTable } from '../domain/record-table.ts'
import { isCutOff } from '../git/linked-worktree.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { sessionNames } from '../session.ts'
import type { Problem, StoredRecord } from '../store/read-record.ts'
import { unknownRecord } from '../store/store.ts'
import { continueFrom } from './continue-from.ts'
import { recordsInFiles } from './records-in-files.ts'

const MAX_CANDIDATES = 10
/** So many of the newest records are asked which one is meant, where none is the latest. */
const MAX_AHEAD = 20

/**
 * Resolves an id argument: a uuid, `latest`, or its first or last hex digits, at least 4, also as a list, a link or a file
 * shows them. `latest` is the record from
 * which the caller's session continues.
 * Errors: `not_found`/`record_not_found`, `not_found`/`ambiguous_id` with the candidates.
 */
export async function resolveId(project: Project, given: string): Promise<string> {
  const wanted = idIn(given)
  if (wanted.toLowerCase() === 'latest') return latestId(project)
  if (isUuid(wanted)) return wanted.toLowerCase()
  const ids = await project.store.ids()
  const hits = matchingIds(wanted, ids)
  const [only] = hits
  if (only === undefined) throw await unknownIn(project, wanted)
  if (hits.length === 1) return only
  const details = { candidates: hits.slice(0, MAX_CANDIDATES) }
  throw refusals.ambiguous_id({ id: wanted, count: hits.length }, { details })
}

async function latestId(project: Project): Promise<string> {
  const names = project.caller ? await sessionNames(project.caller, project) : []
  const { latest, problem, ahead } = await project.index.ask(async (table) => {
    const row = await continueFrom(project, table, names)
    const ahead = row ? undefined : datedAhead(table, project.now())
    return { latest: row, problem: row ? undefined : table.problems()[0], ahead }
  })
  if (latest) return latest.id.toLowerCase()
  if (problem) throw brokenFile(problem)
  if (ahead === undefined) throw await unknownIn(project, 'latest')
  const details = { id: ahead }
  throw refusals.latest_is_ahead(details, { details, next: { tool: 'handoff_resume', args: details } })
}

async function unknownIn(project: Project, given: string): Promise<SatchelError> {
  const { root, store } = project
  const inFiles = await recordsInFiles(project)
  if (inFiles !== undefined) return refusals.no_record_in_database(inFiles)
  const isElsewhere = store.keepsFiles && isCutOff(root) && (await store.ids()).length === 0
  return isElsewhere ? refusals.no_record_in_worktree() : unknownRecord(store, given)
}

/** The newest record that another one does not replace, if the clock that dated it or ours is wrong. */
function datedAhead(table: RecordTable, now: Date): string | undefined {
  const ahead = newestAmong(table, MAX_AHEAD).filter((record) =>
    isFuture(table.updatedMs(record), now.getTime()),
  )
  const isOver = (record: number) => ['superseded', 'archived'].includes(table.status(record))
  const named = ahead.find((record) => !isOver(record)) ?? ahead[0]
  return named === undefined ? undefined : table.id(named).toLowerCase()
}

/** The record of an id argument. Errors: those of `resolveId`; `invalid` with the file's problem. */
export async function findRecord(project: Project, given: string): Promise<StoredRecord> {
  const found = await project.store.read(await resolveId(project, given))
  if (!found) throw await unknownIn(project, given)
  if (found.kind === 'broken') throw brokenFile(found.problem)
  return found
}

const FILE_REFUSALS = {
  bad_json: refusals.file_bad_json,
  not_utf8: refusals.not_utf8,
  schema_invalid: refusals.file_schema_invalid,
  wrong_id: refusals.wrong_id,
  record_too_large: refusals.file_too_large,
  too_deep: refusals.file_too_deep,
  not_a_file: refusals.not_a_file,
} as const satisfies Readonly<Record<Problem['reason'], unknown>>

/** The error of a file that exists but holds no usable record. */
export function brokenFile({ reason, detail, ...place }: Problem): SatchelError {
  return FILE_REFUSALS[reason]({ path: place.path, detail }, { details: place })
}
