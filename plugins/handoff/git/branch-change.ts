import {
  type BranchChange,
  MAX_BRANCH_COMMITS,
  MAX_BRANCH_FILES,
  MAX_BRANCH_LINES,
} from '../domain/branch-change.ts'
import { filePatchesOf, patchIdOf, patchPathsOf } from '../domain/patch-id.ts'
import { isTelling, lineKeysOf } from '../domain/patch-lines.ts'
import { notOfStore } from './commits.ts'
import { diffBetween } from './patches.ts'
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
  if (trunk === undefined || trunk === head) return undefined
  const range = [`--max-count=${MAX_BRANCH_COMMITS + 1}`, '--end-of-options', head, `^${trunk}`]
  const own = await git('rev-list', '--boundary', ...range)
  const lines = own.kind === 'done' ? own.stdout.split('\n').filter((line) => line !== '') : []
  const commits = lines.filter((line) => !line.startsWith('-'))
  if (commits.length === 0 || commits.length > MAX_BRANCH_COMMITS) return undefined
  const base = await baseOf(git, lines.slice(commits.length), [head, trunk])
  if (base === undefined) return undefined
  const diff = (await diffBetween(git, { from: base, to: head }, notOfStore(storePrefix))) ?? ''
  const patch_id = patchIdOf(diff)
  if (patch_id === undefined) return undefined
  const files = filePatchesOf(diff).map(({ id }) => id)
  const keys = isTelling(diff) ? lineKeysOf(diff) : []
  const isShort = keys.length > 0 && keys.length <= MAX_BRANCH_LINES
  return {
    base,
    patch_id,
    paths: patchPathsOf(diff),
    ...(files.length <= MAX_BRANCH_FILES && { files, ...(isShort && { lines: keys }) }),
    commits: commits.map((commit) => commit.slice(0, 12)),
  }
}

/** A single boundary is where the branch left the trunk; of several, as after a merge of the trunk, git knows the best. */
async function baseOf(
  git: Git,
  boundary: readonly string[],
  tips: readonly [string, string],
): Promise<string | undefined> {
  if (boundary.length === 1) return boundary[0]?.slice(1)
  const found = await git('merge-base', '--end-of-options', ...tips)
  return found.kind === 'done' ? found.stdout.trim() : undefined
}
