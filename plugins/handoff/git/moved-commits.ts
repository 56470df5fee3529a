import { once } from '../../../server/plugin.ts'
import type { BranchChange } from '../domain/branch-change.ts'
import { patchIdOf } from '../domain/patch-id.ts'
import { containedIn, isTelling, lineKeysOf } from '../domain/patch-lines.ts'
import { type Change, changesIn, commitWithTree, commonBase, MAX_CHANGES, placesOf } from './changes.ts'
import { notOfStore } from './commits.ts'
import { branchIn, knownPatches, type SquashedBranch } from './known-patches.ts'
import { diffBetween, PATCHES_AT_ONCE, type Patch, patchesIn } from './patches.ts'
import type { Git } from './run-git.ts'

/** `nowhere`: HEAD's history has no such change; `untold`: git could not compare all that may have it. */
type MovedChange = { readonly to: string } | 'nowhere' | 'untold'
/** `untraced`: see `commitWithTree`. */
export type MovedCommit = MovedChange | 'untraced'

/** Finds where the changes of commits are in HEAD's history. */
export interface MovedCommits {
  /** The commit of HEAD's history that has the change of one of `commits`. */
  find(commit: string): Promise<MovedCommit>
  /** The one whose change has this identity. `paths`: the first of its files, where a record names them. */
  findPatch(patchId: string, paths: readonly string[] | undefined): Promise<MovedCommit>
  /** The one that has this tree. */
  findTree(tree: string): Promise<MovedCommit>
  /** The one that has all of a branch. */
  findBranch(added: BranchChange): Promise<SquashedBranch>
}

export interface MovedOptions {
  readonly storePrefix: string
  /** Full ids of commits of this repository that HEAD's history lacks. */
  readonly commits: readonly string[]
  /** Commits that may hold what was squashed together. */
  readonly tips?: readonly string[]
  /** No change that is looked for by its identity was rewritten before, in milliseconds. */
  readonly sinceMs?: number | undefined
}

/**
 * Compares commits with HEAD's history: the same tree, the same patch, all of its files as a later commit left them, or a
 * patch that has each of its lines (rebase, cherry-pick, amend of the message, squash). Only commits that changed the same
 * files are looked at, in one walk for all: a whole history is too much for the time there is. Files of the store do not
 * count.
 */
export function movedCommits(git: Git, options: MovedOptions): MovedCommits {
  const { storePrefix, commits, tips = [] } = options
  const ownOnes = once(() => changesOf(git, commits, storePrefix))
  const shared = once(async () => candidatesFor(git, [...(await ownOnes()).values()]))
  const known = knownPatches(git, options)
  return {
    async find(commit) {
      const own = (await ownOnes()).get(commit)
      if (own?.files.size === 0) return commitWithTree(git, own.tree, ['--end-of-options', `${commit}..HEAD`])
      const all = own && (await shared())
      if (!own || !all) return 'untold'
      const found = await findAmong(git, own, { tips, candidates: all.filter((one) => touches(one, own)) })
      if (found === 'nowhere') return all.length >= MAX_CHANGES ? 'untold' : found
      // The candidates of several commits are more than those of each.
      const isOwn = found !== 'untold' && commits.length > 1 && (await isWithin(git, found.to, commit))
      return isOwn ? 'nowhere' : found
    },
    findPatch: (patchId, paths) =>
      known.find(paths, [(patch) => (patch.patchId === patchId ? { to: patch.commit } : undefined)]),
    findTree: known.findTree,
    findBranch: (added) => known.find(added.paths, branchIn(added)),
  }
}

/** What commits changed, by their ids; empty where git cannot tell. A commit that changed only the store has the files of that. */
async function changesOf(
  git: Git,
  commits: readonly string[],
  storePrefix: string,
): Promise<ReadonlyMap<string, Change>> {
  const own = async (ids: readonly string[], places: readonly string[]) =>
    ids.length === 0
      ? []
      : ((await changesIn(git, ['--no-walk=unsorted', '--end-of-options', ...ids, '--', ...places])) ?? [])
  const found = await own(commits, notOfStore(storePrefix))
  const rest = commits.filter((id) => !found.some(({ commit }) => commit === id))
  return new Map([...found, ...(await own(rest, []))].map((change) => [change.commit, change]))
}

/**
 * Commits that HEAD has and not all of these have, and that changed a file of theirs: one of each commit, since every
 * further place makes the walk longer.
 */
async function candidatesFor(git: Git, own: readonly Change[]): Promise<readonly Change[] | undefined> {
  const base = await commonBase(
    git,
    own.map(({ commit }) => commit),
  )
  const range = [`--max-count=${MAX_CHANGES}`, '--end-of-options', 'HEAD', ...base.map((id) => `^${id}`)]
  const places = placesOf([...new Set(own.flatMap(({ files }) => shallowest([...files.keys()])))])
  return changesIn(git, ['--full-diff', ...range, '--', ...places])
}

/** The fewer folders are above a file, the sooner git knows whether a commit changed it. */
function shallowest(paths: readonly string[]): readonly string[] {
  const depthOf = (path: string) => path.split('/').length
  return [...paths].sort((a, b) => depthOf(a) - depthOf(b)).slice(0, 1)
}

async function isWithin(git: Git, commit: string, tip: string): Promise<boolean> {
  return (await git('merge-base', '--is-ancestor', '--end-of-options', commit, tip)).kind === 'done'
}

function touches({ files }: Change, own: Change): boolean {
  return [...own.files.keys()].some((path) => files.has(path))
}

interface Among {
  readonly tips: readonly string[]
  readonly candidates: readonly Change[]
}

async function findAmong(git: Git, own: Change, { tips, candidates }: Among): Promise<MovedChange> {
  const paths = [...own.files.keys()]
  const same = candidates.find(
    ({ tree, files }) => tree === own.tree || paths.every((path) => files.get(path) === own.files.get(path)),
  )
  if (same) return { to: same.commit }
  const covering = candidates.filter(({ files }) => paths.every((path) => files.has(path)))
  return covering.length === 0 ? 'nowhere' : withSamePatch(git, own, { tips, candidates: covering })
}

/**
 * The candidate whose change of these files is that of the commit, or of all that may have been squashed with it; else the
 * one that has each line of it.
 */
async function withSamePatch(git: Git, own: Change, { tips, candidates }: Among): Promise<MovedChange> {
  const isLikely = ({ authored }: Change) => authored === own.authored // a rebase keeps it
  const ordered = [...candidates.filter(isLikely), ...candidates.filter((one) => !isLikely(one))]
  const places = placesOf([...own.files.keys()])
  const [atOnce, further] = PATCHES_AT_ONCE
  const patchesOf = (changes: readonly Change[], more: readonly string[] = []) => {
    const ids = [...more, ...changes.map(({ commit }) => commit)]
    return patchesIn(git, ['--no-walk=unsorted', '--end-of-options', ...ids, '--', ...places])
  }
  const near = await patchesOf(ordered.slice(0, atOnce), [own.commit])
  if (near === undefined) return 'untold'
  const mine = near.filter(({ commit }) => commit === own.commit)
  const others = near.filter(({ commit }) => commit !== own.commit)
  const found = withIdentity(others, mine)
  if (found) return { to: found.commit }
  const squashed = await squashDiffs(git, own.commit, { tips, places })
  const wanted = [...mine, ...squashed.diffs]
  const far = ordered.slice(atOnce, atOnce + further)
  const rest = withIdentity(others, wanted) || far.length === 0 ? [] : await patchesOf(far)
  const all = [...others, ...(rest ?? [])]
  const to = withIdentity(all, wanted) ?? withLines(all, wanted)
  if (to) return { to: to.commit }
  return squashed.isWhole && rest && candidates.length <= atOnce + further ? 'nowhere' : 'untold'
}

type Diff = Pick<Patch, 'patchId' | 'text'>

function withIdentity(patches: readonly Patch[], wanted: readonly Diff[]): Patch | undefined {
  const ids = new Set(wanted.flatMap(({ patchId }) => patchId ?? []))
  return patches.find(({ patchId }) => patchId !== undefined && ids.has(patchId))
}

/** A squash with further changes of the same files has each line of what was captured. */
function withLines(patches: readonly Patch[], wanted: readonly Diff[]): Patch | undefined {
  const told = wanted.filter(({ text }) => isTelling(text)).map(({ text }) => lineKeysOf(text))
  if (told.length === 0) return undefined
  return patches.find(({ text }) => {
    const keys = new Set(lineKeysOf(text))
    return told.some((lines) => containedIn(lines, keys))
  })
}

/** Everything between the common history and a tip that has the commit, as one change of these files. */
async function squashDiffs(
  git: Git,
  commit: string,
  { tips, places }: { readonly tips: readonly string[]; readonly places: readonly string[] },
): Promise<{ readonly diffs: readonly Diff[]; readonly isWhole: boolean }> {
  const diffs: Diff[] = []
  let isWhole = true
  for (const tip of new Set([commit, ...tips])) {
    if (tip !== commit && !(await isWithin(git, commit, tip))) continue
    const base = await git('merge-base', '--end-of-options', tip, 'HEAD')
    if (base.kind === 'failed') continue
    const text = await diffBetween(git, { from: base.stdout.trim(), to: tip }, places)
    if (text === undefined) isWhole = false
    else diffs.push({ patchId: patchIdOf(text), text })
  }
  return { diffs, isWhole }
}
