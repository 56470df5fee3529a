import type { Git } from './run-git.ts'

/** Commits that say they take back another one; older ones are not looked at. */
const MAX_REVERTS = 200
const REVERTS = /\bThis reverts commit ([0-9a-f]{7,64})\b/g

/**
 * The commit after `commit` in HEAD's history that takes it back, by the words that `git revert` writes; undefined where
 * there is none, or that one was taken back again. `commit` is a commit id.
 */
export async function reverterOf(git: Git, commit: string): Promise<string | undefined> {
  const options = ['-z', '--format=%H%x1f%b', '--fixed-strings', '--grep=This reverts commit']
  const limits = [`--max-count=${MAX_REVERTS}`, '--no-show-signature', '--end-of-options']
  const answer = await git('log', ...options, ...limits, `${commit}..HEAD`, '--')
  if (answer.kind === 'failed') return undefined
  /** What was taken back -> the commit that did. */
  const reverters = new Map<string, string>()
  const find = (id: string) =>
    [...reverters].find(([reverted]) => reverted.startsWith(id) || id.startsWith(reverted))?.[1]
  for (const entry of answer.stdout.split('\0')) {
    const [id = '', body = ''] = entry.split('\x1f') // the newest first: what took back this one is known
    if (id === '' || find(id) !== undefined) continue
    for (const [, reverted = ''] of body.matchAll(REVERTS)) reverters.set(reverted, id)
  }
  return find(commit)
}
