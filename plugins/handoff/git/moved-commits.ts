import type { BranchChange } from '../domain/branch-change.ts'
import { filePatchesOf, patchIdOf } from '../domain/patch-id.ts'
import { notOfStore } from './commits.ts'
import type { Git } from './run-git.ts'

/** Commits of HEAD's history that are compared, the newest of those that changed the same files. */
const MAX_CANDIDATES = 200
/** Of so many of them the patch is compared. */
const MAX_PATCHES = 50
/** So many files of a commit are named to git; for more it lists all that its history changed. */
const MAX_PATHS = 100
/** The clocks of two people differ by less. */
const CLOCKS_MS = 24 * 60 * 60 * 1000

const RAW = ['--raw', '--no-abbrev', '--no-renames', '--no-show-signature']
/** A patch from which an identity is made. */
const DIFF = ['-p', '--full-index', '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv']
const PATCH = [...DIFF, '--no-show-signature']

/** `nowhere`: HEAD's history has no such change; `untold`: git could not compare all that may have it. */
export type MovedCommit = { readonly to: string } | 'nowhere' | 'untold'

export type SquashedBranch =
  | { readonly to: string; readonly beyond: readonly string[] }
  | 'nowhere'
  | 'untold'

/** Finds where the changes of commits are in HEAD's history. */
export interface MovedCommits {
  /** The commit of HEAD's history that has the change of a commit of this repository. */
  find(commit: string): Promise<MovedCommit>
  /** The one whose change has this identity. */
  findPatch(patchId: string): Promise<MovedCommit>
  /** The one that has all of a branch. `beyond`: further files that it changed, from the root of the repository. */
  findBranch(added: BranchChange): Promise<SquashedBranch>
}

export interface MovedOptions {
  readonly storePrefix: string
  /** Commits that may hold what was squashed together. */
  readonly tips?: readonly string[]
  /** No change that is looked for by its identity was rewritten before, in milliseconds. */
  readonly sinceMs?: number | undefined
}

/**
 * Compares commits with HEAD's history: the same tree, the same patch, or all of its files as a later commit left them
 * (rebase, cherry-pick, amend of the message, squash). Only commits that changed the same files are looked at: a whole
 * history is too much for the time there is. Files of the store do not count.
 */
export function movedCommits(git: Git, { storePrefix, tips = [], sinceMs }: MovedOptions): MovedCommits {
  let recent: Promise<readonly Patch[] | undefined> | undefined
  const recentOnes = () => {
    recent ??= recentPatches(git, storePrefix, sinceMs)
    return recent
  }
  return {
    async find(commit) {
      const own = await changeOf(git, commit, storePrefix)
      if (own === undefined) return 'untold'
      const candidates = await candidatesFor(git, own)
      if (candidates === undefined) return 'untold'
      const same = candidates.find((one) => one.tree === own.tree || isContained(own, one))
      if (same) return { to: same.commit }
      const found = await withSamePatch(git, own, { tips, candidates })
      return found === 'nowhere' && candidates.length >= MAX_CANDIDATES ? 'untold' : found
    },
    async findPatch(patchId) {
      const patches = await recentOnes()
      const found = patches?.find((one) => one.patchId === patchId)
      return found ? { to: found.commit } : withoutPatch(patches)
    },
    async findBranch(added) {
      const patches = await recentOnes()
      for (const { commit, patchId, text } of patches ?? []) {
        const beyond = added.files ? beyondOf(text, added.files) : patchId === added.patch_id && []
        if (beyond) return { to: commit, beyond }
      }
      return withoutPatch(patches)
    },
  }
}

function withoutPatch(patches: readonly Patch[] | undefined): 'nowhere' | 'untold' {
  return patches === undefined || patches.length >= MAX_CANDIDATES ? 'untold' : 'nowhere'
}

/** What a patch changes beyond files with these identities; undefined unless it has all of them. */
function beyondOf(text: string, ids: readonly string[]): readonly string[] | undefined {
  const wanted = new Set(ids)
  const files = filePatchesOf(text)
  const beyond = files.filter(({ id }) => !wanted.has(id))
  return files.length - beyond.length === wanted.size ? beyond.map(({ path }) => path) : undefined
}

/** The identity of one commit's change; undefined for a merge, an empty commit, or none. */
export async function patchIdOfCommit(
  git: Git,
  commit: string,
  storePrefix: string,
): Promise<string | undefined> {
  const [found] = (await patchesOf(git, ['--max-count=1', '--end-of-options', commit], storePrefix)) ?? []
  return found?.patchId
}

/** A commit with what tells it from others after it was rewritten. */
interface Change {
  readonly commit: string
  readonly tree: string
  /** Path from the root of the repository -> the blob that the commit leaves there. */
  readonly files: ReadonlyMap<string, string>
}

interface Patch {
  readonly commit: string
  readonly patchId: string | undefined
  readonly text: string
}

/** Undefined where git cannot tell. A commit that changed only the store has the files of that. */
async function changeOf(git: Git, commit: string, storePrefix: string): Promise<Change | undefined> {
  const own = (places: readonly string[]) =>
    changesIn(git, ['--max-count=1', '--end-of-options', commit, '--', ...places])
  const [found] = (await own(notOfStore(storePrefix))) ?? []
  return found ?? (await own([]))?.[0]
}

/** Commits that HEAD has and the other one has not, and that changed its files. */
function candidatesFor(git: Git, { commit, files }: Change): Promise<readonly Change[] | undefined> {
  const range = [`--max-count=${MAX_CANDIDATES}`, '--end-of-options', `${commit}..HEAD`]
  return changesIn(git, [...range, '--', ...placesOf([...files.keys()])])
}

/** Paths from the root of the repository as arguments of git; none, which is every place, for too many. */
export function placesOf(paths: readonly string[]): readonly string[] {
  return paths.length > MAX_PATHS ? [] : paths.map((path) => `:(top,literal)${path}`)
}

/** Commits with what they changed, from the trees alone. */
async function changesIn(git: Git, range: readonly string[]): Promise<readonly Change[] | undefined> {
  const answer = await git('log', '-z', '--format=%x01%H %T', ...RAW, ...range)
  if (answer.kind === 'failed') return undefined
  return answer.stdout
    .split('\u0001')
    .slice(1)
    .map((part) => {
      const [head = '', ...words] = part.split('\0')
      const [commit = '', tree = ''] = head.trim().split(' ')
      const files = new Map<string, string>()
      for (const [at, word] of words.entries()) {
        const blob = /^\n?:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/.exec(word)?.[1]
        if (blob !== undefined) files.set(words[at + 1] ?? '', blob)
      }
      return { commit, tree, files }
    })
}

function isContained(own: Change, other: Change): boolean {
  return own.files.size > 0 && [...own.files].every(([path, blob]) => other.files.get(path) === blob)
}

/** The candidate whose change of these files is the one of the commit, or of all that may have been squashed with it. */
async function withSamePatch(
  git: Git,
  own: Change,
  { tips, candidates }: { readonly tips: readonly string[]; readonly candidates: readonly Change[] },
): Promise<MovedCommit> {
  const covering = candidates.filter(({ files }) => [...own.files.keys()].every((path) => files.has(path)))
  if (own.files.size === 0 || covering.length === 0) return 'nowhere'
  const near = covering.slice(0, MAX_PATCHES).map(({ commit }) => commit)
  const places = placesOf([...own.files.keys()])
  const patches = await patchesIn(git, ['--no-walk=unsorted', own.commit, ...near, '--', ...places])
  if (patches === undefined) return 'untold'
  const squashed = await squashIds(git, own.commit, { tips, places })
  const mine = patches.find(({ commit }) => commit === own.commit)?.patchId
  const wanted = new Set([mine, ...squashed.ids].filter((id) => id !== undefined))
  const found = patches.find(
    ({ commit, patchId }) => commit !== own.commit && patchId !== undefined && wanted.has(patchId),
  )
  if (found) return { to: found.commit }
  return squashed.isWhole && covering.length <= MAX_PATCHES ? 'nowhere' : 'untold'
}

/** The identities of everything between the common history and a tip that has the commit, as one change of these files. */
async function squashIds(
  git: Git,
  commit: string,
  { tips, places }: { readonly tips: readonly string[]; readonly places: readonly string[] },
): Promise<{ readonly ids: readonly string[]; readonly isWhole: boolean }> {
  const ids: string[] = []
  let isWhole = true
  for (const tip of [commit, ...tips]) {
    const holds =
      tip === commit || (await git('merge-base', '--is-ancestor', '--end-of-options', commit, tip))
    if (holds !== true && holds.kind === 'failed') continue
    const base = await git('merge-base', '--end-of-options', tip, 'HEAD')
    if (base.kind === 'failed') continue
    const diff = await diffBetween(git, { from: base.stdout.trim(), to: tip }, places)
    const id = diff === undefined ? undefined : patchIdOf(diff)
    if (diff === undefined) isWhole = false
    else if (id !== undefined) ids.push(id)
  }
  return { ids, isWhole }
}

/** What differs in these places from one commit to another, as text of which an identity is made; undefined where git cannot tell. */
export async function diffBetween(
  git: Git,
  { from, to }: { readonly from: string; readonly to: string },
  places: readonly string[],
): Promise<string | undefined> {
  const diff = await git('diff', ...DIFF, '--end-of-options', from, to, '--', ...places)
  return diff.kind === 'done' ? diff.stdout : undefined
}

/** What was committed since a time, each as one change of everything but the store. */
function recentPatches(git: Git, storePrefix: string, sinceMs = 0): Promise<readonly Patch[] | undefined> {
  const since = sinceMs > CLOCKS_MS ? [`--since=${new Date(sinceMs - CLOCKS_MS).toISOString()}`] : []
  return patchesOf(git, [`--max-count=${MAX_CANDIDATES}`, ...since, '--end-of-options', 'HEAD'], storePrefix)
}

function patchesOf(git: Git, range: readonly string[], storePrefix: string) {
  return patchesIn(git, [...range, '--', ...notOfStore(storePrefix)])
}

async function patchesIn(git: Git, range: readonly string[]): Promise<readonly Patch[] | undefined> {
  const answer = await git('log', '--format=%x00%H', ...PATCH, ...range)
  if (answer.kind === 'failed') return undefined
  return answer.stdout
    .split('\0')
    .slice(1)
    .map((part) => {
      const patch = part.indexOf('\ndiff ')
      const text = patch < 0 ? '' : part.slice(patch)
      return { commit: part.slice(0, part.indexOf('\n')).trim(), patchId: patchIdOf(text), text }
    })
}
