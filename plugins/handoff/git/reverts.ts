import { once } from '../../../server/plugin.ts'
import { commonBase } from './changes.ts'
import type { Git } from './run-git.ts'

/** Commits that say they take back another one; older ones are not looked at. */
const MAX_REVERTS = 1000
const REVERTS = /\bThis reverts commit ([0-9a-f]{7,64})\b/g

/**
 * Tells which commit of HEAD's history takes one of `commits` back, by the words that `git revert` writes; undefined where
 * there is none, or that one was taken back again. `commits` are ids of HEAD's history, which is walked once for all.
 */
export function reverters(
  git: Git,
  commits: readonly string[],
): (commit: string) => Promise<string | undefined> {
  const found = once(() => revertersSince(git, commits))
  return async (commit) => reverterIn(await found(), commit)
}

/** What was taken back -> the commit that did. */
type Reverters = ReadonlyMap<string, string>

async function revertersSince(git: Git, commits: readonly string[]): Promise<Reverters> {
  const options = ['-z', '--format=%H%x1f%b', '--fixed-strings', '--grep=This reverts commit']
  const limits = [`--max-count=${MAX_REVERTS}`, '--no-show-signature', '--end-of-options']
  const without = (await commonBase(git, commits)).map((id) => `^${id}`)
  const answer = await git('log', ...options, ...limits, 'HEAD', ...without, '--')
  const found = new Map<string, string>()
  for (const entry of answer.kind === 'done' ? answer.stdout.split('\0') : []) {
    const [id = '', body = ''] = entry.split('\x1f') // the newest first: what took back this one is known
    if (id === '' || reverterIn(found, id) !== undefined) continue
    for (const [, reverted = ''] of body.matchAll(REVERTS)) found.set(reverted, id)
  }
  return found
}

function reverterIn(reverters: Reverters, id: string): string | undefined {
  return [...reverters].find(([reverted]) => reverted.startsWith(id) || id.startsWith(reverted))?.[1]
}
