import { branchChangeOf, isOfBranch } from '../domain/branch-change.ts'
import { commitOf } from '../domain/commit-id.ts'
import { type EvidenceGround, groundOf } from '../domain/evidence-ground.ts'
import type { Handoff } from '../domain/record.ts'
import type { Git } from './run-git.ts'

/** Commits that are looked up for one record; the rest stay `unchecked`. */
const MAX_COMMITS = 20

/** `elsewhere`: HEAD's history lacks it; `unchecked`: git could not tell. */
type CommitPlace =
  | { readonly kind: 'ancestor' | 'elsewhere'; readonly commit: string }
  | { readonly kind: 'missing' | 'unchecked' }

/** A commit that evidence of a record names. */
export interface NamedCommit {
  /** As the record writes it. */
  readonly ref: string
  readonly ground: EvidenceGround
  /** It was one of the captured branch. */
  readonly isOfBranch: boolean
  readonly place: CommitPlace
}

/** The commits that a record names, with where they are. One walk of the history tells it of all. */
export async function namedCommits(git: Git, record: Handoff): Promise<readonly NamedCommit[]> {
  const added = branchChangeOf(record)
  const found = new Map<string, Omit<NamedCommit, 'place'> & { readonly id: Found }>()
  for (const item of record.evidence) {
    const ref = item.type === 'commit' ? commitOf(item.ref ?? '') : undefined
    if (ref === undefined || found.has(ref) || found.size >= MAX_COMMITS) continue
    const isOwn = added !== undefined && isOfBranch(added, ref)
    found.set(ref, { ref, ground: groundOf(item), isOfBranch: isOwn, id: await idOf(git, ref) })
  }
  const ids = [...found.values()].flatMap(({ id }) => ('commit' in id ? id.commit : []))
  const strays = await straysAmong(git, ids)
  return [...found.values()].map(({ id, ...named }) => {
    if (!('commit' in id)) return { ...named, place: id }
    if (strays === undefined) return { ...named, place: { kind: 'unchecked' } }
    return { ...named, place: { kind: strays.has(id.commit) ? 'elsewhere' : 'ancestor', ...id } }
  })
}

type Found = { readonly commit: string } | { readonly kind: 'missing' | 'unchecked' }

/** The full id of a commit of this repository. */
async function idOf(git: Git, ref: string): Promise<Found> {
  const found = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`)
  if (found.kind === 'done') return { commit: found.stdout.trim() }
  return { kind: found.reason === 'refused' ? 'missing' : 'unchecked' }
}

/** What of these, and before them, HEAD's history lacks; undefined where git cannot tell. */
async function straysAmong(git: Git, ids: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  if (ids.length === 0) return new Set()
  const listed = await git('rev-list', '--end-of-options', ...ids, '^HEAD')
  return listed.kind === 'done' ? new Set(listed.stdout.split('\n')) : undefined
}
