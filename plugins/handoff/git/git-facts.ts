import { once } from '../../../server/plugin.ts'
import { branchChangeOf } from '../domain/branch-change.ts'
import { isCommitId } from '../domain/commit-id.ts'
import { type EvidenceGround, groundOf } from '../domain/evidence-ground.ts'
import type { Handoff } from '../domain/record.ts'
import { timeOf } from '../domain/record-time.ts'
import { uncommittedAtCapture } from '../domain/uncommitted.ts'
import type { CommitFact, GitFacts, SinceCapture } from '../domain/world-facts.ts'
import { type MovedCommits, movedCommits } from './moved-commits.ts'
import { type NamedCommit, namedCommits } from './named-commits.ts'
import { captureRepository, isOwnPath } from './repository.ts'
import { reverters } from './reverts.ts'
import { type Git, reasonText } from './run-git.ts'
import { changedBetween, isShallow, sinceCapture, sinceNothing, sinceSquash } from './since-capture.ts'

/** Heads at which evidence was captured that are compared; evidence of further ones is unverifiable. */
const MAX_HEADS = 10

/** How far HEAD moved since a record was captured, and whether the commits it names exist. */
export async function gitFactsFor(git: Git, record: Handoff, storePrefix: string): Promise<GitFacts> {
  const repository = await captureRepository(git, storePrefix)
  if (repository.kind === 'none') return { kind: 'none', reason: reasonText(repository.reason) }
  const captured = record.project.repository?.head ?? null
  const { head } = repository
  const heads = record.evidence.flatMap((item) => groundOf(item).head ?? []).filter((one) => one !== captured)
  const named = await namedCommits(git, record)
  const moved = movedCommits(git, {
    storePrefix,
    commits: named.flatMap(({ place }) => (place.kind === 'elsewhere' ? [place.commit] : [])),
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
    commits: await commitFacts(git, named, { head, moved, squashed: since?.squashed }),
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
  named: readonly NamedCommit[],
  { head, moved, squashed }: Known,
): Promise<Map<string, CommitFact>> {
  const isWhole = once(async () => !(await isShallow(git)))
  const facts = new Map<string, CommitFact>()
  for (const one of named) facts.set(one.ref, await commitFact(git, one, { moved, squashed, isWhole }))
  // Nothing can have taken back what was recorded on this head.
  const later = named.filter(({ ground }) => ground.head !== head)
  const places = new Map(
    later.flatMap(({ ref, place }) => {
      const fact = facts.get(ref)
      const moved = typeof fact === 'object' && 'moved' in fact ? fact.moved : undefined
      const at = moved ?? (place.kind === 'ancestor' ? place.commit : undefined)
      return at === undefined ? [] : [[ref, at] as const]
    }),
  )
  const reverterOf = reverters(git, [...new Set(places.values())])
  for (const [ref, at] of places) {
    const reverted = await reverterOf(at)
    if (reverted !== undefined) facts.set(ref, { reverted })
  }
  return facts
}

interface Search extends Pick<Known, 'moved' | 'squashed'> {
  /** False for a shallow clone. */
  isWhole(): Promise<boolean>
}

async function commitFact(
  git: Git,
  { place, ground, isOfBranch }: NamedCommit,
  { moved, squashed, isWhole }: Search,
): Promise<CommitFact> {
  if (place.kind === 'missing')
    return missing(ground, { moved, squashed: isOfBranch ? squashed : undefined, isWhole })
  if (place.kind !== 'elsewhere') return place.kind
  if (!(await isWhole())) return 'beyond_shallow'
  const to = await moved.find(place.commit)
  if (typeof to === 'object') return { moved: to.to }
  if (to === 'untold') return 'unchecked'
  const holder = await git('for-each-ref', '--count=1', `--contains=${place.commit}`, '--format=%(refname)')
  if (holder.kind === 'failed') return 'unchecked'
  if (holder.stdout.trim() !== '') return 'other_branch'
  return to === 'untraced' ? to : 'unreachable'
}

/** A commit that the repository lacks. What was recorded with its change was in it once. */
async function missing(
  { patchId, paths, tree }: EvidenceGround,
  { moved, squashed, isWhole }: Search,
): Promise<CommitFact> {
  const byTree = async () => (tree === undefined ? 'nowhere' : moved.findTree(tree))
  const to = await (patchId === undefined ? byTree() : moved.findPatch(patchId, paths))
  if (typeof to === 'object') return { moved: to.to }
  if (squashed !== undefined) return { moved: squashed }
  if (!(await isWhole())) return 'beyond_shallow'
  if (to === 'untold') return 'unchecked'
  if (to === 'untraced') return to
  return patchId === undefined ? 'absent' : 'removed'
}
