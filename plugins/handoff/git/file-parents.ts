import type { Git } from './run-git.ts'

/** The texts of one file on both sides of a merge, as git stores them. */
export interface FileParents {
  readonly base: string | undefined
  readonly ours: string
  readonly theirs: string
}

/**
 * The parents of a file in conflict: those of the merge that goes on, else those of the last commit that changed it, if
 * that is a merge and committed the markers. Undefined if git knows no two. `path` is relative to the folder git runs in.
 */
export async function fileParents(git: Git, path: string): Promise<FileParents | undefined> {
  return (await parentsAt(git, path, [':1', ':2', ':3'])) ?? (await parentsOfMerge(git, path))
}

async function parentsOfMerge(git: Git, path: string): Promise<FileParents | undefined> {
  const committed = await git('cat-file', 'blob', `HEAD:./${path}`)
  // Otherwise the markers came later, and are not between the parents of that commit.
  if (committed.kind !== 'done' || !/^<{7}/m.test(committed.stdout)) return undefined
  const log = await git('log', '-1', '--format=%P', 'HEAD', '--', path)
  const [ours, theirs, ...more] = log.kind === 'done' ? log.stdout.trim().split(' ') : []
  if (!ours || !theirs || more.length > 0) return undefined
  const base = await git('merge-base', ours, theirs)
  return parentsAt(git, path, [base.kind === 'done' ? base.stdout.trim() : undefined, ours, theirs])
}

async function parentsAt(
  git: Git,
  path: string,
  [base, ours, theirs]: readonly [string | undefined, string, string],
): Promise<FileParents | undefined> {
  const textAt = async (version: string) => {
    const shown = await git('cat-file', 'blob', `${version}:./${path}`)
    return shown.kind === 'done' ? shown.stdout : undefined
  }
  const [left, right] = [await textAt(ours), await textAt(theirs)]
  if (left === undefined || right === undefined) return undefined
  return { base: base === undefined ? undefined : await textAt(base), ours: left, theirs: right }
}
