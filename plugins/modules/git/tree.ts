import { refusal } from '../reasons.ts'
import type { Git } from './command.ts'

/** A regular file of a commit. */
export interface TreeFile {
  /** Repository-relative, `/` between parts. */
  readonly path: string
  readonly oid: string
  /** Bytes; 0 where the store lacks the blob. */
  readonly size: number
}

/** What is no regular file, or has a name that cannot be read: never followed, only said. */
export interface SkippedEntry {
  readonly path: string
  readonly code: 'symlink_skipped' | 'submodule_skipped' | 'path_not_utf8'
}

export interface Tree {
  readonly files: readonly TreeFile[]
  readonly skipped: readonly SkippedEntry[]
}

const MAX_ENTRIES = 200_000 // modules design 8
const MAX_LISTING_BYTES = 64 * 1024 * 1024

/** Every entry of a commit. Errors: `too_large`/`repository_too_large`, and those of git. */
export async function listTree(git: Git, commit: string): Promise<Tree> {
  const listing = await git.run(
    ['ls-tree', '-r', '-z', '--full-tree', '-l', '--end-of-options', commit],
    MAX_LISTING_BYTES,
  )
  return parseTree(listing)
}

/** Reads `<mode> <type> <oid> <size>\t<path>\0…`. Exported for tests. */
export function parseTree(listing: string): Tree {
  const files: TreeFile[] = []
  const skipped: SkippedEntry[] = []
  let from = 0
  for (let entries = 1; from < listing.length; entries++) {
    if (entries > MAX_ENTRIES) {
      throw refusal('repository_too_large', `The repository has more than ${MAX_ENTRIES} files.`)
    }
    const end = listing.indexOf('\0', from)
    const stop = end < 0 ? listing.length : end
    readEntry(listing, from, stop, files, skipped)
    from = stop + 1
  }
  return { files, skipped }
}

function readEntry(
  listing: string,
  from: number,
  stop: number,
  files: TreeFile[],
  skipped: SkippedEntry[],
): void {
  const tab = listing.indexOf('\t', from)
  if (tab < 0 || tab > stop) return
  const [mode, , oid = '', size] = listing.slice(from, tab).split(/ +/)
  const path = listing.slice(tab + 1, stop)
  if (path.includes('\ufffd')) skipped.push({ path, code: 'path_not_utf8' })
  else if (mode === '100644' || mode === '100755') files.push({ path, oid, size: Number(size) || 0 })
  else if (mode === '120000') skipped.push({ path, code: 'symlink_skipped' })
  else if (mode === '160000') skipped.push({ path, code: 'submodule_skipped' })
}
