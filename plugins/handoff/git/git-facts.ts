import { commitOf, isCommitId } from '../domain/commit-id.ts'
import { groundOf } from '../domain/evidence-ground.ts'
import type { Handoff } from '../domain/record.ts'
import { uncommittedAtCapture } from '../domain/uncommitted.ts'
import type { CommitFact, GitFacts, SinceCapture } from '../domain/world-facts.ts'
import { type MovedCommits, movedCommits } from './moved-commits.ts'
import { captureRepository, isOwnPath } from './repository.ts'
import { reverterOf } from './reverts.ts'
import { type Git, reasonText } from './run-git.ts'
import { changedBetween, isShallow, sinceCapture, sinceNothing } from './since-capture.ts'

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
  return {
    kind: 'repository',
    head,
    dirty: repository.dirty,
    uncommitted: repository.changed.map(({ path }) => path),
    ...(head !== null && (await sinceOf(git, record, { head, storePrefix }))),
    commits: await commitFacts(git, record, head),
    changedSince: head === null ? new Map() : await changesSince(git, { heads, head }, storePrefix),
  }
}

/** How far HEAD moved; absent where neither a commit was captured nor the files of a repository without one. */
async function sinceOf(
  git: Git,
  record: Handoff,
  { head, storePrefix }: { readonly head: string; readonly storePrefix: string },
): Promise<{ readonly since?: SinceCapture }> {
  const captured = record.project.repository?.head ?? null
  if (captured !== null) return { since: await sinceCapture(git, { captured, head }, storePrefix) }
  const files = uncommittedAtCapture(record) ?? []
  return files.length === 0 ? {} : { since: await sinceNothing(git, storePrefix) }
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

async function commitFacts(git: Git, record: Handoff, head: string | null): Promise<Map<string, CommitFact>> {
  const captured = record.project.repository?.head
  const moved = movedCommits(git, captured && isCommitId(captured) ? [captured] : [])
  const facts = new Map<string, CommitFact>()
  for (const item of record.evidence) {
    const commit = item.type === 'commit' ? commitOf(item.ref ?? '') : undefined
    if (commit === undefined || facts.has(commit) || facts.size >= MAX_COMMITS) continue
    const ground = groundOf(item)
    const fact = await commitFact(git, { commit, patchId: ground.patchId }, moved)
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
}

async function commitFact(git: Git, { commit, patchId }: Wanted, moved: MovedCommits): Promise<CommitFact> {
  const found = await git('cat-file', '-e', '--end-of-options', `${commit}^{commit}`)
  if (found.kind === 'failed') return found.reason === 'refused' ? missing(git, patchId, moved) : 'unchecked'
  const ancestor = await git('merge-base', '--is-ancestor', '--end-of-options', commit, 'HEAD')
  if (ancestor.kind === 'done') return 'ancestor'
  if (ancestor.reason !== 'refused') return 'unchecked'
  if (await isShallow(git)) return 'beyond_shallow'
  const to = await moved.find(commit, patchId)
  if (to !== undefined) return { moved: to }
  const holder = await git('for-each-ref', '--count=1', `--contains=${commit}`, '--format=%(refname)')
  if (holder.kind === 'failed') return 'unchecked'
  return holder.stdout.trim() === '' ? 'unreachable' : 'other_branch'
}

/** A commit that the repository lacks. What was recorded with its change was in it once. */
async function missing(git: Git, patchId: string | undefined, moved: MovedCommits): Promise<CommitFact> {
  const to = patchId === undefined ? undefined : await moved.find(undefined, patchId)
  if (to !== undefined) return { moved: to }
  if (await isShallow(git)) return 'beyond_shallow'
  return patchId === undefined ? 'absent' : 'removed'
}
