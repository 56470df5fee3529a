import { patchIdOf } from '../domain/patch-id.ts'
import type { Git } from './run-git.ts'

/** Commits of HEAD's history that are compared; rewritten ones are near its end. */
const MAX_CANDIDATES = 200
const PATCH = [
  '-p',
  '--raw',
  '--no-abbrev',
  '--full-index',
  '--no-color',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-show-signature',
]

/** A commit with what tells it from others after it was rewritten. */
interface Change {
  readonly commit: string
  readonly tree: string
  readonly patchId: string | undefined
  /** `path blob` of every file as the commit leaves it. */
  readonly files: ReadonlySet<string>
}

/** Finds where the changes of commits are in HEAD's history. */
export interface MovedCommits {
  /** The commit of HEAD's history that has the change of `commit`, or the change with this identity. */
  find(commit: string | undefined, patchId: string | undefined): Promise<string | undefined>
}

/**
 * Compares commits with HEAD's history: the same tree, the same patch, or all of its files as a later commit left them
 * (rebase, cherry-pick, amend of the message, squash). `tips` may hold what was squashed together. `range` ends at HEAD, and
 * at most `most` commits of it are compared.
 */
export function movedCommits(
  git: Git,
  tips: readonly string[],
  { range = 'HEAD', most = MAX_CANDIDATES }: { readonly range?: string; readonly most?: number } = {},
): MovedCommits {
  let history: Promise<readonly Change[]> | undefined
  const candidates = (): Promise<readonly Change[]> => {
    history ??= changesOf(git, [range], Math.min(most, MAX_CANDIDATES))
    return history
  }
  return {
    async find(commit, patchId) {
      const own = commit === undefined ? undefined : (await changesOf(git, [commit], 1))[0]
      const wanted = new Set([patchId, own?.patchId].filter((id) => id !== undefined))
      if (wanted.size === 0 && own === undefined) return undefined
      const squashed = commit === undefined ? [] : await squashIds(git, commit, tips)
      const found = (await candidates()).find(
        (one) =>
          (one.patchId !== undefined && (wanted.has(one.patchId) || squashed.includes(one.patchId))) ||
          (own !== undefined && isContained(own, one)),
      )
      return found?.commit
    },
  }
}

function isContained(own: Change, other: Change): boolean {
  if (own.tree === other.tree) return true
  return own.files.size > 0 && [...own.files].every((file) => other.files.has(file))
}

/** The identities of everything between the common history and a tip that has the commit, as one change. */
async function squashIds(git: Git, commit: string, tips: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const tip of [commit, ...tips]) {
    const holds =
      tip === commit || (await git('merge-base', '--is-ancestor', '--end-of-options', commit, tip))
    if (holds !== true && holds.kind === 'failed') continue
    const base = await git('merge-base', '--end-of-options', tip, 'HEAD')
    if (base.kind === 'failed') continue
    const diff = await git('diff', ...PATCH.slice(2), '--end-of-options', base.stdout.trim(), tip, '--')
    const id = diff.kind === 'done' ? patchIdOf(diff.stdout) : undefined
    if (id !== undefined) ids.push(id)
  }
  return ids
}

/** The identity of one commit's change; undefined for a merge, an empty commit, or none. */
export async function patchIdOfCommit(git: Git, commit: string): Promise<string | undefined> {
  return (await changesOf(git, [commit], 1))[0]?.patchId
}

async function changesOf(git: Git, from: readonly string[], most: number): Promise<readonly Change[]> {
  const format = '--format=%x00%H %T'
  const answer = await git('log', format, `--max-count=${most}`, ...PATCH, '--end-of-options', ...from, '--')
  if (answer.kind === 'failed') return []
  return answer.stdout
    .split('\0')
    .filter((part) => part !== '')
    .map(changeIn)
}

function changeIn(part: string): Change {
  const [, commit = '', tree = ''] = /^([0-9a-f]+) ([0-9a-f]+)/.exec(part) ?? []
  const patch = part.indexOf('\ndiff ')
  const files = part
    .slice(0, patch < 0 ? undefined : patch)
    .matchAll(/^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) \w\d*\t(.*)$/gm)
  return {
    commit,
    tree,
    patchId: patch < 0 ? undefined : patchIdOf(part.slice(patch)),
    files: new Set([...files].map(([, blob, path]) => `${path} ${blob}`)),
  }
}
