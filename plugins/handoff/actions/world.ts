import type { Handoff } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import type { RelativeFacts, WorldFacts } from '../domain/world-facts.ts'
import { fileFacts } from '../files/file-facts.ts'
import { gitFactsFor } from '../git/git-facts.ts'
import type { Handoffs, Project } from '../project.ts'
import { storedProjectId } from '../store/project-identity.ts'

/** Everything the project says about a record: its relatives, its files, its repository. Writes nothing. */
export async function worldOf(handoffs: Handoffs, project: Project, record: Handoff): Promise<WorldFacts> {
  const { disk, layout } = project.store
  const [view, files, git, projectId] = await Promise.all([
    project.index.view(),
    fileFacts(project.root, pathsOf(record), handoffs.clock),
    gitFactsFor(project.git, record, project.storePrefix),
    storedProjectId(disk, layout),
  ])
  return {
    relatives: relativesOf(view.rows),
    files,
    git,
    ...(projectId !== undefined && { projectId }),
  }
}

function pathsOf(record: Handoff): string[] {
  const evidenceFiles = record.evidence.flatMap((item) => (item.type === 'file' && item.ref ? item.ref : []))
  return [...record.artifacts.map(({ path }) => path), ...evidenceFiles].filter((path) => path !== '')
}

/** Rows as the checks know other records. */
export function relativesOf(rows: readonly RecordRow[]): ReadonlyMap<string, RelativeFacts> {
  return new Map(rows.map((row) => [row.id.toLowerCase(), row]))
}
