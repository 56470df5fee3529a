import { branchesDiffer, recordToContinue } from '../domain/latest.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { currentBranch } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { storedProjectId } from '../store/project-identity.ts'

/** The record from which the session of these names continues. git is asked only where records are of several branches. */
export async function continueFrom(
  project: Project,
  rows: readonly RecordRow[],
  names: readonly string[],
): Promise<RecordRow | undefined> {
  const { disk, layout } = project.store
  const branch = branchesDiffer(rows) ? await currentBranch(project.git) : undefined
  return recordToContinue(rows, { names, branch, projectId: await storedProjectId(disk, layout) })
}
