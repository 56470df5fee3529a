import { SatchelError } from '../../../server/plugin.ts'
import { latestOf } from '../domain/latest.ts'
import { isUuid, matchingIds } from '../domain/record-id.ts'
import type { Project } from '../project.ts'
import { storedProjectId } from '../store/project-identity.ts'
import type { Problem, StoredRecord } from '../store/read-record.ts'
import { unknownRecord } from '../store/store.ts'

const MAX_CANDIDATES = 10

/**
 * The id that an argument means: a uuid, `latest`, or a beginning or end of at least 4 hex digits.
 * Errors: `not_found`/`record_not_found`, `not_found`/`ambiguous_id` with the candidates.
 */
export async function resolveId(project: Project, given: string): Promise<string> {
  const wanted = given.trim()
  if (wanted.toLowerCase() === 'latest') return latestId(project)
  if (isUuid(wanted)) return wanted.toLowerCase()
  const ids = await project.store.ids()
  const hits = matchingIds(wanted, ids)
  const [only] = hits
  if (only === undefined) throw unknownRecord(wanted)
  if (hits.length === 1) return only
  throw new SatchelError(
    'not_found',
    'ambiguous_id',
    `"${wanted}" means ${hits.length} records; give more digits.`,
    { details: { candidates: hits.slice(0, MAX_CANDIDATES) }, next: { tool: 'handoff_list', args: {} } },
  )
}

async function latestId(project: Project): Promise<string> {
  const { disk, layout } = project.store
  const { rows } = await project.index.view()
  const latest = latestOf(rows, await storedProjectId(disk, layout)) ?? latestOf(rows, undefined)
  if (!latest) throw unknownRecord('latest')
  return latest.id.toLowerCase()
}

/** The record an argument means. Errors: those of `resolveId`; `invalid` with the file's problem. */
export async function findRecord(project: Project, given: string): Promise<StoredRecord> {
  const found = await project.store.read(await resolveId(project, given))
  if (!found) throw unknownRecord(given)
  if (found.kind === 'broken') throw brokenFile(found.problem)
  return found
}

/** The error of a file that is there and no record. */
export function brokenFile(problem: Problem): SatchelError {
  const { reason, detail, path, line, column } = problem
  const tooLarge = reason === 'record_too_large' || reason === 'too_deep'
  return new SatchelError(
    tooLarge ? 'too_large' : 'invalid',
    reason,
    `${path} ${detail}; it was left as it is. Correct it in an editor, then try again.`,
    { details: { path, ...(line !== undefined && { line }), ...(column !== undefined && { column }) } },
  )
}
