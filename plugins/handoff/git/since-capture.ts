import { isCommitId } from '../domain/commit-id.ts'
import type { SinceCapture } from '../domain/world-facts.ts'
import { placesOf } from './changes.ts'
import { commitsBetween, countCommits } from './commits.ts'
import type { SquashedBranch } from './known-patches.ts'
import { isOwnPath, rootCommit } from './repository.ts'
import { type Git, type GitFailure, reasonText } from './run-git.ts'

const NOTHING = { commitsAhead: null, changed: null, isOwnOnly: false, commits: [] } as const
const SAME = { ...NOTHING, relation: 'same', commitsAhead: 0, changed: [] } as const

/** How far HEAD moved from a captured commit. Only plain hex is passed to git: the captured head is text from a file. */
export async function sinceCapture(
  git: Git,
  { captured, head }: { readonly captured: string; readonly head: string },
  storePrefix: string,
): Promise<SinceCapture> {
  if (!isCommitId(captured)) return unknown('the captured head is not a commit id')
  if (captured === head) return SAME
  const full = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${captured}^{commit}`)
  if (full.kind === 'failed') return withoutCommit(git, full.reason)
  const from = full.stdout.trim()
  if (from === head) return SAME
  const found = await changesBetween(git, { from, to: head }, storePrefix)
  const base = await git('merge-base', '--end-of-options', from, head)
  if (base.kind === 'failed') return { ...found, ...(await withoutBase(git, base.reason)) }
  const common = base.stdout.trim()
  const relation = common === from ? 'ahead' : common === head ? 'behind' : 'diverged'
  const commitsAhead = await countCommits(git, `${from}..${head}`, storePrefix)
  return { ...found, relation, commitsAhead }
}

type Squash = Exclude<SquashedBranch, string>

/**
 * Since a branch that was squashed into a commit of HEAD's history: what the trunk got besides it since the branch started,
 * which the captured head did not have either, and what else that commit changed.
 */
export async function sinceSquash(
  git: Git,
  { base, squashed, head }: { readonly base: string; readonly squashed: Squash; readonly head: string },
  storePrefix: string,
): Promise<SinceCapture> {
  const { to, beyond } = squashed
  const isWhole = beyond.length === 0
  const before = await changedBetween(git, base, `${to}^`)
  const within = isWhole ? [] : await changedBetween(git, `${to}^`, to, placesOf(beyond))
  const after = await changedBetween(git, to, head)
  const count = await countCommits(git, `${base}..${head}`, storePrefix)
  const listed = await commitsBetween(git, { from: base, to: head }, storePrefix)
  const isListed = before !== null && within !== null && after !== null
  const all = isListed ? [...new Set([...before, ...within, ...after])] : null
  return {
    relation: 'diverged',
    commitsAhead: count === null ? null : Math.max(0, count - Number(isWhole)),
    changed: all?.filter((path) => !isOwnPath(path, storePrefix)) ?? null,
    isOwnOnly: false,
    commits: listed.filter(({ id }) => !isWhole || !to.startsWith(id)),
    squashed: to,
  }
}

/** Since a capture before the first commit, every file that HEAD has. */
export async function sinceNothing(git: Git, storePrefix: string): Promise<SinceCapture> {
  const listed = await git('ls-tree', '-r', '--name-only', '-z', 'HEAD')
  if (listed.kind === 'failed') return unknown(reasonText(listed.reason))
  const files = listed.stdout.split('\0').filter((path) => path !== '' && !isOwnPath(path, storePrefix))
  return { ...unknown('the record captured no commit'), changed: files }
}

function unknown(reason: string): SinceCapture {
  return { ...NOTHING, relation: 'unknown', reason }
}

/** The captured commit is not here. */
async function withoutCommit(git: Git, reason: GitFailure): Promise<SinceCapture> {
  if (reason !== 'refused') return unknown(reasonText(reason))
  if (await isShallow(git)) return unknown('the captured commit is not in this shallow clone')
  return { ...NOTHING, ...(await unrelated(git)) }
}

async function unrelated(git: Git): Promise<Pick<SinceCapture, 'relation' | 'root'>> {
  const root = await rootCommit(git)
  return { relation: 'unrelated_history', ...(typeof root === 'object' && { root: root.commit }) }
}

/** Both commits are here, but not what joins them. */
async function withoutBase(
  git: Git,
  reason: GitFailure,
): Promise<Pick<SinceCapture, 'relation' | 'commitsAhead' | 'reason' | 'root'>> {
  if (reason !== 'refused') return { relation: 'unknown', commitsAhead: null, reason: reasonText(reason) }
  if (await isShallow(git)) {
    return { relation: 'unknown', commitsAhead: null, reason: 'this shallow clone lacks the history between' }
  }
  return { commitsAhead: null, ...(await unrelated(git)) }
}

async function changesBetween(
  git: Git,
  range: { readonly from: string; readonly to: string },
  storePrefix: string,
): Promise<Pick<SinceCapture, 'changed' | 'isOwnOnly' | 'commits'>> {
  const all = await changedBetween(git, range.from, range.to)
  const changed = all?.filter((path) => !isOwnPath(path, storePrefix)) ?? null
  return {
    changed,
    isOwnOnly: all !== null && all.length > 0 && changed?.length === 0,
    commits: await commitsBetween(git, range, storePrefix),
  }
}

/** True for a clone without its whole history. */
export async function isShallow(git: Git): Promise<boolean> {
  const answer = await git('rev-parse', '--is-shallow-repository')
  return answer.kind === 'done' && answer.stdout.trim() === 'true'
}

/** The paths that differ; null if git cannot list them. */
export async function changedBetween(
  git: Git,
  from: string,
  to: string,
  places: readonly string[] = [],
): Promise<string[] | null> {
  const options = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--relative']
  const answer = await git('diff', ...options, '--end-of-options', from, to, '--', ...places)
  return answer.kind === 'done' ? answer.stdout.split('\0').filter((path) => path !== '') : null
}
