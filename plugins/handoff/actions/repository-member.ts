import type { BranchChange } from '../domain/branch-change.ts'
import type { Handoff } from '../domain/record.ts'
import { MAX_UNCOMMITTED, type UncommittedPath } from '../domain/uncommitted.ts'
import { fileFacts } from '../files/file-facts.ts'
import { branchChange } from '../git/branch-change.ts'
import type { ChangedPath, RepositoryFacts } from '../git/repository.ts'
import type { Project } from '../project.ts'

/** Hooks capture too: a large file must not use up their time. */
const LIMIT_MS = 500

type Member = NonNullable<Handoff['project']['repository']> & {
  readonly branch: string | null
  readonly uncommitted?: readonly UncommittedPath[]
  readonly branch_change?: BranchChange
}

/**
 * The member `project.repository` of a record. The branch, what it added and what the changed files hold are free members:
 * the specification's four fields do not name them. A later session compares with them.
 */
export async function repositoryMember(
  project: Project,
  { head, dirty, remote, branch, changed }: RepositoryFacts,
): Promise<Member> {
  const added = head === null ? undefined : await branchChange(project.git, head, project.storePrefix)
  return {
    vcs: 'git',
    remote_hint: remote,
    head,
    dirty,
    branch,
    ...(changed.length > 0 && { uncommitted: await contentOf(project, changed) }),
    ...(added && { branch_change: added }),
  }
}

async function contentOf(project: Project, changed: readonly ChangedPath[]): Promise<UncommittedPath[]> {
  const first = changed.slice(0, MAX_UNCOMMITTED)
  const files = await fileFacts(
    project.root,
    first.flatMap(({ path, state }) => (state === 'deleted' ? [] : path)),
    project.clock,
    LIMIT_MS,
  )
  return first.map(({ path, state }) => {
    if (state === 'deleted') return { path, deleted: true }
    const fact = files.get(path)
    return fact?.kind === 'file' && fact.sha256 !== undefined ? { path, sha256: fact.sha256 } : { path }
  })
}
