import type { SatchelError } from '../../../server/plugin.ts'
import { type Claim, claimOf } from '../catalog/path-series.ts'
import { nearestNames, nearestRefs } from '../domain/nearest-names.ts'
import type { AskedRef } from '../git/ref-name.ts'
import type { RemoteListing, RemoteRef } from '../git/remote.ts'
import { orderTags } from '../git/tag-order.ts'
import { newestTags } from '../git/tag-series.ts'
import { refusals } from '../reasons.ts'
import type { PlannedEntry } from './plan.ts'
import { type Failure, failureOf, type Warning } from './report.ts'

/** A ref to read. */
export interface ChosenRef {
  /** As written in the summary: the short name, or the full one where the configuration uses it. */
  readonly ref: string
  readonly kind: 'branch' | 'tag'
  readonly fullName: string
  /** As the remote listed it; the fetched commit is the one recorded. */
  readonly commit: string
}

export interface Choice {
  readonly refs: readonly ChosenRef[]
  readonly failures: readonly Failure[]
  readonly warnings: readonly Warning[]
}

const MAX_REFS = 1000 // modules design 8
/** How many branches a message names; more would hide it. */
const MOST_NAMED = 10

/** Which refs of a remote an entry asks for (modules design 2.4). Errors: `not_found`/`empty_repository`. */
export function chooseRefs(listing: RemoteListing, entry: PlannedEntry, repository: string): Choice {
  if (listing.branches.size === 0 && listing.tags.size === 0) {
    throw refusals.empty_repository()
  }
  const chosen = new Map<string, ChosenRef>()
  const failures: Failure[] = []
  const warnings: Warning[] = []
  const tags = entry.includeTags ? chosenTags([...listing.tags.keys()], entry, repository) : []

  for (const asked of entry.asked) {
    const found = findAsked(listing, asked)
    if (found === undefined) failures.push(missingRef(listing, asked, repository))
    else chosen.set(found.ref, found)
    if (asked.full === undefined && listing.branches.has(asked.name) && listing.tags.has(asked.name)) {
      warnings.push(ambiguous(repository, asked.name))
    }
  }
  for (const name of tags) chosen.set(name, chosenTag(listing.tags.get(name), name))
  if (entry.asked.length === 0 && tags.length === 0) {
    const branch = defaultRef(listing)
    chosen.set(branch.ref, branch)
    if (entry.includeTags) warnings.push(noTags(repository, branch.ref))
  }
  const refs = [...chosen.values()]
  if (refs.length > MAX_REFS) warnings.push(tooMany(repository, refs.length))
  return { refs: refs.slice(0, MAX_REFS), failures, warnings }
}

/**
 * The newest tags; for a directory of a repository that tags its components those that speak for it (decision 157). What
 * lies below a directory may have tags of its own, which are read as well unless the directory has them all.
 */
function chosenTags(
  listed: readonly string[],
  { path, recursive, maxTags }: PlannedEntry,
  repository: string,
): string[] {
  const claim: Claim = path === '.' ? { kind: 'unsure' } : claimOf(repository, listed, path)
  if (claim.kind === 'own' || (claim.kind === 'common' && !recursive))
    return orderTags(listed.filter(claim.isOf)).slice(0, maxTags)
  if (claim.kind === 'none' && !recursive) return orderTags(listed).slice(0, maxTags)
  return newestTags(listed, maxTags, repository)
}

/** A branch and a tag of one short name would share one id: the tag wins. */
export function findAsked(listing: RemoteListing, asked: AskedRef): ChosenRef | undefined {
  if (asked.full !== undefined) {
    const isTag = asked.full.startsWith('refs/tags/')
    const found = (isTag ? listing.tags : listing.branches).get(
      asked.full.replace(/^refs\/(heads|tags)\//, ''),
    )
    return found && { ref: asked.name, kind: found.kind, fullName: asked.full, commit: found.commit }
  }
  const found = listing.tags.get(asked.name) ?? listing.branches.get(asked.name)
  return found && chosenOf(found)
}

function chosenOf({ kind, name, commit }: RemoteRef): ChosenRef {
  return { ref: name, kind, fullName: `refs/${kind === 'tag' ? 'tags' : 'heads'}/${name}`, commit }
}

function chosenTag(tag: RemoteRef | undefined, name: string): ChosenRef {
  return chosenOf(tag ?? { kind: 'tag', name, commit: '' })
}

function defaultRef(listing: RemoteListing): ChosenRef {
  const branch = listing.branches.get(listing.defaultBranch ?? '')
  if (branch) return chosenOf(branch)
  throw refusals.default_branch_unknown()
}

function missingRef(listing: RemoteListing, asked: AskedRef, repository: string): Failure {
  return failureOf({ repository, ref: asked.name }, unknownRef(listing, asked))
}

/** The refusal of a ref that a remote lacks, with the nearest that it has. */
export function unknownRef(listing: RemoteListing, asked: AskedRef): SatchelError {
  const near = asked.full
    ? nearestNames(asked.name, fullNames(listing))
    : nearestRefs(asked.name, shortNames(listing))
  const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ')
  const branches = [...listing.branches.keys()].slice(0, MOST_NAMED)
  const hint = near.length > 0 ? `Nearest: ${quoted(near)}.` : `Its branches: ${quoted(branches) || 'none'}.`
  return refusals.ref_not_found({ name: JSON.stringify(asked.name), hint }, { details: { nearest: near } })
}

function shortNames(listing: RemoteListing): string[] {
  return [...listing.branches.keys(), ...listing.tags.keys()]
}

function fullNames(listing: RemoteListing): string[] {
  return [
    ...[...listing.branches.keys()].map((name) => `refs/heads/${name}`),
    ...[...listing.tags.keys()].map((name) => `refs/tags/${name}`),
  ]
}

function ambiguous(repository: string, ref: string): Warning {
  const message = `A branch and a tag are called ${JSON.stringify(ref)}: the tag was read. Name refs/heads/${ref} for the branch.`
  return { repository, ref, code: 'ref_ambiguous', message }
}

function noTags(repository: string, ref: string): Warning {
  return { repository, ref, code: 'no_tags', message: 'The remote has no tags: its default branch was read.' }
}

function tooMany(repository: string, count: number): Warning {
  return {
    repository,
    code: 'refs_capped',
    message: `Only the first ${MAX_REFS} of ${count} refs were read.`,
  }
}
