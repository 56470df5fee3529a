import type { BranchChange } from '../domain/branch-change.ts'
import type { Handoff } from '../domain/record.ts'
import {
  MAX_UNCOMMITTED,
  restDigest,
  type UncommittedPath,
  type UncommittedRest,
} from '../domain/uncommitted.ts'
import { fileFacts } from '../files/file-facts.ts'
import { branchChange } from '../git/branch-change.ts'
import type { ChangedPath, RepositoryFacts } from '../git/repository.ts'
import type { Project } from '../project.ts'

/** Hooks capture too: a large file must not use up their time. */
const LIMIT_MS = 500

type Member = NonNullable<Handoff['project']['repository']> & {
  readonly branch: string | null
  readonly uncommitted?: readonly UncommittedPath[]
  readonly uncommitted_rest?: UncommittedRest
  readonly branch_change?: ReturnType<typeof inOneText>
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
    ...(changed.length > 0 && (await contentOf(project, changed))),
    ...(added && { branch_change: inOneText(added) }),
  }
}

/** One text is shorter than a list. */
function inOneText({ lines, ...added }: BranchChange) {
  return { ...added, ...(lines && { lines: lines.join('') }) }
}

async function contentOf(
  project: Project,
  changed: readonly ChangedPath[],
): Promise<Pick<Member, 'uncommitted' | 'uncommitted_rest'>> {
  const paths = changed.map(({ path }) => path)
  const files = await fileFacts(project.root, paths, project.clock, LIMIT_MS)
  const uncommitted = changed.slice(0, MAX_UNCOMMITTED).map(({ path, state }): UncommittedPath => {
    if (state === 'deleted') return { path, deleted: true }
    const fact = files.get(path)
    return fact?.kind === 'file' && fact.sha256 !== undefined ? { path, sha256: fact.sha256 } : { path }
  })
  const further = paths.slice(MAX_UNCOMMITTED)
  const rest = further.length === 0 ? undefined : restDigest(further, files)
  return { uncommitted, ...(rest && { uncommitted_rest: rest }) }
}
