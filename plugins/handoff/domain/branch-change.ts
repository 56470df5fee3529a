import { isJsonObject } from '../../../server/plugin.ts'
import { isCommitId, sameCommit } from './commit-id.ts'
import { patchPathsIn } from './patch-id.ts'
import { keysIn } from './patch-lines.ts'
import type { Handoff } from './record.ts'

/** Commits of one branch that a record names; a longer one is not described. */
export const MAX_BRANCH_COMMITS = 50
/** Of more files a record keeps the identity as a whole only. */
export const MAX_BRANCH_FILES = 100
/** Of more changed lines a record keeps none. */
export const MAX_BRANCH_LINES = 250

/** What the captured branch added to the trunk; a free member of `project.repository` has the keys of its lines as one text. */
export interface BranchChange {
  /** The commit of the trunk from which it started. */
  readonly base: string
  /** Identity of all of it as one change. */
  readonly patch_id: string
  /** Identity of what it changed in each file; absent in records of earlier versions, and where it changed too many. */
  readonly files?: readonly string[]
  /** Keys of the lines that it changed: a squash may change more of its files. Absent where they are too many or tell nothing. */
  readonly lines?: readonly string[]
  /** The first of its files, from the root of the repository; absent in records of earlier versions. */
  readonly paths?: readonly string[]
  /** Its commits, abbreviated. */
  readonly commits: readonly string[]
}

/** What a record says of its branch; undefined where it says nothing, or it is malformed. */
export function branchChangeOf({ project }: Handoff): BranchChange | undefined {
  const repository: unknown = project.repository
  const member = isJsonObject(repository) ? repository['branch_change'] : undefined
  const { base, patch_id, commits, files, lines, paths } = isJsonObject(member) ? member : {}
  if (typeof base !== 'string' || !isCommitId(base) || typeof patch_id !== 'string') return undefined
  const listed = Array.isArray(commits) ? commits.slice(0, MAX_BRANCH_COMMITS) : []
  const isListed = Array.isArray(files) && files.length > 0 && files.length <= MAX_BRANCH_FILES
  const keys = keysIn(lines)
  const named = patchPathsIn(paths)
  return {
    base,
    patch_id,
    ...(isListed && { files: files.map(String) }),
    ...(keys && { lines: keys }),
    ...(named && { paths: named }),
    commits: listed.filter((one) => typeof one === 'string' && isCommitId(one)),
  }
}

/** Whether a commit was one of the branch. */
export function isOfBranch({ commits }: BranchChange, commit: string): boolean {
  return commits.some((one) => sameCommit(one, commit))
}
