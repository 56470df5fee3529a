import type { Handoff } from '../domain/record.ts'
import { MAX_UNCOMMITTED, type UncommittedPath } from '../domain/uncommitted.ts'
import { fileFacts } from '../files/file-facts.ts'
import type { ChangedPath, RepositoryFacts } from '../git/repository.ts'
import type { Project } from '../project.ts'

/** Hooks capture too: a large file must not use up their time. */
const LIMIT_MS = 500

type Member = NonNullable<Handoff['project']['repository']> & {
  readonly branch: string | null
  readonly uncommitted?: readonly UncommittedPath[]
}

/**
 * The member `project.repository` of a record. The branch and what the changed files hold are free members: the
 * specification's four fields do not name them. A later session compares the files with it.
 */
export async function repositoryMember(
  project: Project,
  { head, dirty, remote, branch, changed }: RepositoryFacts,
): Promise<Member> {
  const facts = { vcs: 'git', remote_hint: remote, head, dirty, branch }
  return changed.length === 0 ? facts : { ...facts, uncommitted: await contentOf(project, changed) }
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
