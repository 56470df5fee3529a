import { pathsOfReference } from '../domain/file-reference.ts'
import { looksLikePath, mayBePath } from '../domain/path-pattern.ts'
import type { Handoff } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { familyOf } from '../domain/record-table.ts'
import type { RelativeFacts, WorldFacts } from '../domain/world-facts.ts'
import { fileFacts } from '../files/file-facts.ts'
import { topNames } from '../files/top-names.ts'
import { gitFactsFor } from '../git/git-facts.ts'
import type { Project } from '../project.ts'

/** Facts about a record's relatives, files and repository. Writes nothing. */
export async function worldOf(project: Project, record: Handoff): Promise<WorldFacts> {
  const [family, ground] = await Promise.all([
    project.index.ask((table) => familyOf(table, record.lineage.parents)),
    groundOf(project, record),
  ])
  return {
    ...ground,
    relatives: relativesOf(family),
  }
}

/** Facts about a record's files and repository. Reads no other record, writes nothing. */
export async function groundOf(
  project: Project,
  record: Handoff,
): Promise<Pick<WorldFacts, 'files' | 'topNames' | 'git'>> {
  const hasBareName = record.work.scope.some((entry) => mayBePath(entry) && !looksLikePath(entry))
  const [files, names, git] = await Promise.all([
    fileFacts(project.root, pathsOf(record), project.clock),
    hasBareName ? topNames(project.root) : undefined,
    gitFactsFor(project.git, record, project.storePrefix),
  ])
  return { files, git, ...(names && { topNames: names }) }
}

function pathsOf(record: Handoff): string[] {
  const evidenceFiles = record.evidence.flatMap((item) =>
    item.type === 'file' ? pathsOfReference(item.ref ?? '') : [],
  )
  return [...record.artifacts.map(({ path }) => path), ...evidenceFiles].filter((path) => path !== '')
}

/** Other records by lower-case id, as the checks use them. */
export function relativesOf(rows: readonly RecordRow[]): ReadonlyMap<string, RelativeFacts> {
  return new Map(rows.map((row) => [row.id.toLowerCase(), row]))
}
