import { branchChangeOf, isOfBranch } from '../domain/branch-change.ts'
import { commitOf, isCommitId } from '../domain/commit-id.ts'
import { groundOf } from '../domain/evidence-ground.ts'
import type { Handoff } from '../domain/record.ts'
import { timeOf } from '../domain/record-time.ts'
import { uncommittedAtCapture } from '../domain/uncommitted.ts'
import type { CommitFact, GitFacts, SinceCapture } from '../domain/world-facts.ts'
import { type MovedCommits, movedCommits } from './moved-commits.ts'
import { captureRepository, isOwnPath } from './repository.ts'
import { reverterOf } from './reverts.ts'
import { type Git, reasonText } from './run-git.ts'
import { changedBetween, isShallow, sinceCapture, sinceNothing, sinceSquash } from './since-capture.ts'

/** Commits that are looked up for one record; the rest stay `unchecked`. Each takes up to three commands. */
const MAX_COMMITS = 20

/** Heads at which evidence was captured that are compared; evidence of further ones is unverifiable. */
const MAX_HEADS = 10

/** How far HEAD moved since a record was captured, and whether the commits it names exist. */
export async function gitFactsFor(git: Git, record: Handoff, storePrefix: string): Promise<GitFacts> {
  const repository = await captureRepository(git, storePrefix)
  if (repository.kind === 'none') return { kind: 'none', reason: reasonText(repository.reason) }
  const captured = record.project.repository?.head ?? null
  const { head } = repository
  const heads = record.evidence.flatMap((item) => groundOf(item).head ?? []).filter((one) => one !== captured)
  const moved = movedCommits(git, {
    storePrefix,
    tips: captured !== null && isCommitId(captured) ? [captured] : [],
    sinceMs: firstCapture(record),
  })
  const since = head === null ? undefined : await sinceOf(git, record, { head, storePrefix, moved })
  return {
    kind: 'repository',
    head,
    dirty: repository.dirty,
    uncommitted: repository.changed.map(({ path }) => path),
    ...(repository.unlisted && { unlisted: reasonText(repository.unlisted) }),
    ...(since && { since }),
    commits: await commitFacts(git, record, { head, moved, squashed: since?.squashed }),
    changedSince: head === null ? new Map() : await changesSince(git, { heads, head }, storePrefix),
  }
}

/** When the record or the first of its commits was captured; undefined where that is not told. */
function firstCapture({ created_at, evidence }: Handoff): number | undefined {
  const commits = evidence.filter(({ type }) => type === 'commit')
  const times = [created_at, ...commits.map(({ captured_at }) => captured_at)].map(timeOf)
  return times.every((time) => time !== undefined) ? Math.min(...times) : undefined
}

interface Around {
  readonly head: string
  readonly storePrefix: string
  readonly moved: MovedCommits
}

/** How far HEAD moved; absent where neither a commit was captured nor the files of a repository without one. */
async function sinceOf(
  git: Git,
  record: Handoff,
  { head, storePrefix, moved }: Around,
): Promise<SinceCapture | undefined> {
  const captured = record.project.repository?.head ?? null
  if (captured === null) {
    const files = uncommittedAtCapture(record) ?? []
    return files.length === 0 ? undefined : sinceNothing(git, storePrefix)
  }
  const since = await sinceCapture(git, { captured, head }, storePrefix)
  const added = branchChangeOf(record)
  if (added === undefined || since.relation !== 'unrelated_history' || since.changed !== null) return since
  const found = await moved.findBranch(added)
  if (typeof found !== 'object') return since
  return sinceSquash(git, { base: added.base, squashed: found, head }, storePrefix)
}

async function changesSince(
  git: Git,
  { heads, head }: { readonly heads: readonly string[]; readonly head: string },
  storePrefix: string,
): Promise<Map<string, readonly string[] | null>> {
  const changes = new Map<string, readonly string[] | null>()
  for (const from of [...new Set(heads)].slice(0, MAX_HEADS)) {
    const all = await changedBetween(git, from, head)
    changes.set(from, all?.filter((path) => !isOwnPath(path, storePrefix)) ?? null)
  }
  return changes
}

interface Known {
  readonly head: string | null
  readonly moved: MovedCommits
  /** The commit that has all of the captured branch. */
  readonly squashed: string | undefined
}

async function commitFacts(
  git: Git,
  record: Handoff,
  { head, moved, squashed }: Known,
): Promise<Map<string, CommitFact>> {
  const added = branchChangeOf(record)
  const facts = new Map<string, CommitFact>()
  for (const item of record.evidence) {
    const commit = item.type === 'commit' ? commitOf(item.ref ?? '') : undefined
    if (commit === undefined || facts.has(commit) || facts.size >= MAX_COMMITS) continue
    const ground = groundOf(item)
    const within = added && isOfBranch(added, commit) ? squashed : undefined
    const fact = await commitFact(git, { commit, patchId: ground.patchId, squashed: within }, moved)
    // Nothing can have taken back what was recorded on this head.
    facts.set(commit, ground.head === head ? fact : await unlessReverted(git, commit, fact))
  }
  return facts
}

async function unlessReverted(git: Git, commit: string, fact: CommitFact): Promise<CommitFact> {
  const at = typeof fact === 'object' && 'moved' in fact ? fact.moved : fact === 'ancestor' && commit
  const reverted = at ? await reverterOf(git, at) : undefined
  return reverted === undefined ? fact : { reverted }
}

interface Wanted {
  readonly commit: string
  readonly patchId: string | undefined
  /** The commit that has all of its branch. */
  readonly squashed: string | undefined
}

async function commitFact(git: Git, wanted: Wanted, moved: MovedCommits): Promise<CommitFact> {
  const { commit } = wanted
  const found = await git('cat-file', '-e', '--end-of-options', `${commit}^{commit}`)
  if (found.kind === 'failed') return found.reason === 'refused' ? missing(git, wanted, moved) : 'unchecked'
  const ancestor = await git('merge-base', '--is-ancestor', '--end-of-options', commit, 'HEAD')
  if (ancestor.kind === 'done') return 'ancestor'
  if (ancestor.reason !== 'refused') return 'unchecked'
  if (await isShallow(git)) return 'beyond_shallow'
  const to = await moved.find(commit)
  if (typeof to === 'object') return { moved: to.to }
  if (to === 'untold') return 'unchecked'
  const holder = await git('for-each-ref', '--count=1', `--contains=${commit}`, '--format=%(refname)')
  if (holder.kind === 'failed') return 'unchecked'
  return holder.stdout.trim() === '' ? 'unreachable' : 'other_branch'
}

/** A commit that the repository lacks. What was recorded with its change was in it once. */
async function missing(git: Git, { patchId, squashed }: Wanted, moved: MovedCommits): Promise<CommitFact> {
  const to = patchId === undefined ? 'nowhere' : await moved.findPatch(patchId)
  if (typeof to === 'object') return { moved: to.to }
  if (squashed !== undefined) return { moved: squashed }
  if (await isShallow(git)) return 'beyond_shallow'
  if (to === 'untold') return 'unchecked'
  return patchId === undefined ? 'absent' : 'removed'
}
