import { recordToContinue } from '../domain/latest.ts'
import type { RecordRow } from '../domain/record-row.ts'
import type { RecordTable } from '../domain/record-table.ts'
import { currentBranch } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { idsClaimedBy } from '../store/claims.ts'

/** The record from which the session of these names continues. git is asked only where records are of several branches. */
export async function continueFrom(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<RecordRow | undefined> {
  const branch = table.differs('branch') ? await currentBranch(project.git) : undefined
  const projectId = await project.store.projectId()
  const held = await idsClaimedBy(project.store, names)
  const claimed = new Set(held.flatMap((id) => table.find(id) ?? []))
  const nowMs = project.now().getTime()
  const record = recordToContinue(table, { names, claimed, branch, projectId, nowMs })
  return record === undefined ? undefined : (await table.load([record]))[0]
}
