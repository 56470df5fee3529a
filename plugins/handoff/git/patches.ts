import { patchIdOf, patchPathsOf } from '../domain/patch-id.ts'
import { notOfStore } from './commits.ts'
import type { Git } from './run-git.ts'

/** A patch from which an identity is made. */
const DIFF = ['-p', '--full-index', '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv']
const PATCH = [...DIFF, '--no-show-signature']

/** Of so many commits the patches are compared: the likeliest first, then others. */
export const PATCHES_AT_ONCE = [50, 450] as const

/** What a commit changed, as text. */
export interface Patch {
  readonly commit: string
  readonly patchId: string | undefined
  readonly text: string
}

/** What tells a commit after it was rewritten, and that it was here once. */
type Trace =
  /** The identity of its change, and files that tell where to look for it. */
  | { readonly patch_id: string; readonly paths: readonly string[] }
  /** Of a merge, an empty commit, or one of records alone. */
  | { readonly tree: string }

/** Undefined where git cannot tell. */
export async function traceOfCommit(
  git: Git,
  commit: string,
  storePrefix: string,
): Promise<Trace | undefined> {
  const range = ['--no-walk', '--end-of-options', commit, '--', ...notOfStore(storePrefix)]
  const patches = await patchesIn(git, range)
  const [found] = patches ?? []
  if (found?.patchId !== undefined) return { patch_id: found.patchId, paths: patchPathsOf(found.text) }
  const tree =
    patches && (await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`))
  return tree?.kind === 'done' ? { tree: tree.stdout.trim() } : undefined
}

/** The patches of commits; undefined where git cannot tell. `range` ends with the places. */
export async function patchesIn(git: Git, range: readonly string[]): Promise<readonly Patch[] | undefined> {
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

/** What differs in these places from one commit to another, as text of which an identity is made; undefined where git cannot tell. */
export async function diffBetween(
  git: Git,
  { from, to }: { readonly from: string; readonly to: string },
  places: readonly string[],
): Promise<string | undefined> {
  const diff = await git('diff', ...DIFF, '--end-of-options', from, to, '--', ...places)
  return diff.kind === 'done' ? diff.stdout : undefined
}
