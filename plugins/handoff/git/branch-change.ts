import { type BranchChange, MAX_BRANCH_COMMITS, MAX_BRANCH_FILES } from '../domain/branch-change.ts'
import { filePatchesOf, patchIdOf } from '../domain/patch-id.ts'
import { notOfStore } from './commits.ts'
import { diffBetween } from './moved-commits.ts'
import type { Git } from './run-git.ts'

/** Where branches are usually merged into, the surest first. */
const TRUNKS = [
  'refs/remotes/origin/HEAD',
  'refs/remotes/origin/main',
  'refs/remotes/origin/master',
  'refs/heads/main',
  'refs/heads/master',
]

/**
 * What HEAD has and the trunk has not, as one change, without the store: a squash merge has it under an id of its own, also
 * in a clone that never had the branch. Undefined on the trunk itself, without one, and far from it.
 */
export async function branchChange(
  git: Git,
  head: string,
  storePrefix: string,
): Promise<BranchChange | undefined> {
  const listed = await git('for-each-ref', '--format=%(refname) %(objectname)', ...TRUNKS)
  if (listed.kind === 'failed') return undefined
  const tips = new Map(listed.stdout.split('\n').map((line) => line.split(' ') as [string, string]))
  const trunk = TRUNKS.map((name) => tips.get(name)).find((tip) => tip)
  const found = trunk && (await git('merge-base', '--end-of-options', head, trunk))
  if (!found || found.kind === 'failed') return undefined
  const base = found.stdout.trim()
  if (base === head) return undefined
  const range = [`--max-count=${MAX_BRANCH_COMMITS + 1}`, '--end-of-options', `${base}..${head}`]
  const own = await git('rev-list', ...range)
  const commits = own.kind === 'done' ? own.stdout.split('\n').filter((line) => line !== '') : []
  if (commits.length === 0 || commits.length > MAX_BRANCH_COMMITS) return undefined
  const diff = (await diffBetween(git, { from: base, to: head }, notOfStore(storePrefix))) ?? ''
  const patch_id = patchIdOf(diff)
  if (patch_id === undefined) return undefined
  const files = filePatchesOf(diff).map(({ id }) => id)
  return {
    base,
    patch_id,
    ...(files.length <= MAX_BRANCH_FILES && { files }),
    commits: commits.map((commit) => commit.slice(0, 12)),
  }
}
