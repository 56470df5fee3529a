import { isJsonObject } from '../../../server/plugin.ts'
import { isCommitId, sameCommit } from './commit-id.ts'
import type { Handoff } from './record.ts'

/** Commits of one branch that a record names; a longer one is not described. */
export const MAX_BRANCH_COMMITS = 50

/** What the captured branch added to the trunk: a free member of `project.repository`. */
export interface BranchChange {
  /** The commit of the trunk from which it started. */
  readonly base: string
  /** Identity of all of it as one change. */
  readonly patch_id: string
  /** Its commits, abbreviated. */
  readonly commits: readonly string[]
}

/** What a record says of its branch; undefined where it says nothing, or it is malformed. */
export function branchChangeOf({ project }: Handoff): BranchChange | undefined {
  const repository: unknown = project.repository
  const member = isJsonObject(repository) ? repository['branch_change'] : undefined
  const { base, patch_id, commits } = isJsonObject(member) ? member : {}
  if (typeof base !== 'string' || !isCommitId(base) || typeof patch_id !== 'string') return undefined
  const listed = Array.isArray(commits) ? commits.slice(0, MAX_BRANCH_COMMITS) : []
  return { base, patch_id, commits: listed.filter((one) => typeof one === 'string' && isCommitId(one)) }
}

/** Whether a commit was one of the branch. */
export function isOfBranch({ commits }: BranchChange, commit: string): boolean {
  return commits.some((one) => sameCommit(one, commit))
}
