import { once } from '../../../server/plugin.ts'
import type { BranchChange } from '../domain/branch-change.ts'
import { filePatchesOf } from '../domain/patch-id.ts'
import { containedIn, lineKeysOf } from '../domain/patch-lines.ts'
import { changesIn, commitWithTree, MAX_CHANGES, placesOf } from './changes.ts'
import { notOfStore } from './commits.ts'
import { PATCHES_AT_ONCE, type Patch, patchesIn } from './patches.ts'
import type { Git } from './run-git.ts'

/** Of so many commits the patches are compared where a record does not name the files: all that they changed. */
const MAX_RECENT = 200
/** The clocks of two people differ by less. */
const CLOCKS_MS = 24 * 60 * 60 * 1000

/** `beyond`: files in which the commit changed more than the branch, from the root of the repository. */
export type SquashedBranch =
  | { readonly to: string; readonly beyond: readonly string[] }
  | 'nowhere'
  | 'untold'

/** What of a patch is looked for; undefined where it is not that. */
type Way<T> = (patch: Patch) => T | undefined

/** Finds changes of which only a record knows, in what HEAD's history got since. */
interface KnownPatches {
  /** What the first of the `ways` finds in a commit that changed each of `paths`. */
  find<T>(paths: readonly string[] | undefined, ways: readonly Way<T>[]): Promise<T | 'nowhere' | 'untold'>
  /** See `commitWithTree`. */
  findTree(tree: string): ReturnType<typeof commitWithTree>
}

interface KnownOptions {
  readonly storePrefix: string
  readonly sinceMs?: number | undefined
}

export function knownPatches(git: Git, { storePrefix, sinceMs = 0 }: KnownOptions): KnownPatches {
  const since = sinceMs > CLOCKS_MS ? [`--since=${new Date(sinceMs - CLOCKS_MS).toISOString()}`] : []
  const whole = (range: readonly string[]) => patchesIn(git, [...range, '--', ...notOfStore(storePrefix)])
  const recent = once(() => whole([`--max-count=${MAX_RECENT}`, ...since, '--end-of-options', 'HEAD']))
  /** Oldest first: a branch is merged soon after its capture. */
  const touching = async (paths: readonly string[]) => {
    const range = [`--max-count=${MAX_CHANGES}`, ...since, '--end-of-options', 'HEAD']
    const found = await changesIn(git, [...range, '--', ...placesOf(paths)])
    if (found === undefined || found.length >= MAX_CHANGES) return undefined
    const covering = found.filter(({ files }) => paths.every((path) => files.has(path)))
    return covering.map(({ commit }) => commit).reverse()
  }
  const amongRecent = async <T>(ways: readonly Way<T>[]) => {
    const patches = await recent()
    const isCut = patches === undefined || patches.length >= MAX_RECENT
    return firstOf(patches ?? [], ways) ?? (isCut ? 'untold' : 'nowhere')
  }
  const amongTouching = async <T>(paths: readonly string[], ways: readonly Way<T>[]) => {
    let ids = await touching(paths)
    const patches: Patch[] = []
    for (const count of PATCHES_AT_ONCE) {
      if (!ids?.length) break
      const more = await whole(['--no-walk=unsorted', '--end-of-options', ...ids.slice(0, count).reverse()])
      const found = firstOf(more ?? [], ways.slice(0, 1))
      if (found !== undefined) return found
      patches.push(...(more ?? []))
      ids = more && ids.slice(count)
    }
    return firstOf(patches, ways) ?? (ids?.length === 0 ? 'nowhere' : 'untold')
  }
  return {
    findTree: (tree) => commitWithTree(git, tree, [...since, '--end-of-options', 'HEAD']),
    find: (paths, ways) => (paths === undefined ? amongRecent(ways) : amongTouching(paths, ways)),
  }
}

function firstOf<T>(patches: readonly Patch[], ways: readonly Way<T>[]): T | undefined {
  for (const way of ways) {
    for (const patch of patches) {
      const found = way(patch)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** A commit that has the change of each file as the branch made it, or else each line of them among others. */
export function branchIn({
  patch_id,
  files,
  lines,
}: BranchChange): readonly Way<Exclude<SquashedBranch, string>>[] {
  const wanted = new Set(files)
  const beyondOf = (text: string) => filePatchesOf(text).filter(({ id }) => !wanted.has(id))
  const squash = ({ commit }: Patch, beyond: readonly { readonly path: string }[]) => ({
    to: commit,
    beyond: beyond.map(({ path }) => path),
  })
  if (files === undefined) return [(patch) => (patch.patchId === patch_id ? squash(patch, []) : undefined)]
  return [
    (patch) => {
      const beyond = beyondOf(patch.text)
      const isWhole = filePatchesOf(patch.text).length - beyond.length === wanted.size
      return isWhole ? squash(patch, beyond) : undefined
    },
    (patch) =>
      lines && containedIn(lines, new Set(lineKeysOf(patch.text)))
        ? squash(patch, beyondOf(patch.text))
        : undefined,
  ]
}
