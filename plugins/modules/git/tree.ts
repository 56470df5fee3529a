import { refusals } from '../reasons.ts'
import type { Blobs } from './blobs.ts'

/** A regular file of a commit. */
export interface TreeFile {
  /** Repository-relative, `/` between parts. */
  readonly path: string
  readonly oid: string
}

/** An entry that is not a regular file, or has an unreadable name: reported, never followed. */
export interface SkippedEntry {
  readonly path: string
  readonly code: 'symlink_skipped' | 'submodule_skipped' | 'path_not_utf8'
}

export interface Tree {
  readonly files: readonly TreeFile[]
  readonly skipped: readonly SkippedEntry[]
}

/** One name in one directory, as a tree object holds it. */
export interface TreeEntry {
  /** Undefined for a name that is not UTF-8, or that no directory can have (`..`, with a slash). */
  readonly name: string | undefined
  readonly mode: string
  readonly oid: string
}

/** Reads the trees of commits; directories that commits share are read once. */
export interface TreeReader {
  /** Requests the roots of these commits from git in one batch. */
  expect(commits: Iterable<string>): void
  /**
   * The entries of the directories that are `wanted` (by their path, `.` for the root); other directories are not
   * entered. Errors: `too_large`/`repository_too_large`, `unavailable`/`repository_damaged`, and those of git.
   */
  treeOf(commit: string, wanted: (directory: string) => boolean): Promise<Tree>
  /** The entry at a path of a commit (`.`: its root), with what a directory holds; undefined when there is none. */
  entryAt(commit: string, path: string): Promise<FoundEntry | undefined>
}

/** An entry, and the entries in it when it is a directory. */
export interface FoundEntry {
  readonly oid: string
  readonly entries?: readonly TreeEntry[]
}

const MAX_ENTRIES = 200_000 // modules design 8
const MAX_DEPTH = 100
const MAX_TREE_BYTES = 16 * 1024 * 1024

/** Reads trees as objects: no process for each ref, and most directories of 20 tags are the same. */
export function createTreeReader(blobs: Blobs): TreeReader {
  const directories = new Map<string, Promise<readonly TreeEntry[]>>()
  const entriesOf = (name: string): Promise<readonly TreeEntry[]> => {
    const known = directories.get(name)
    if (known !== undefined) return known
    const entries = readDirectory(blobs, name)
    entries.catch(() => undefined) // reported to the caller that awaits it
    directories.set(name, entries)
    return entries
  }
  return {
    expect(commits) {
      for (const commit of commits) void entriesOf(rootOf(commit)) // `treeOf` reports the error
    },
    async treeOf(commit, wanted) {
      const walk: Walk = { entriesOf, wanted, left: MAX_ENTRIES, files: [], skipped: [] }
      await walkDirectory(walk, rootOf(commit), '', 0)
      return walk
    },
    async entryAt(commit, path) {
      let found: FoundEntry = { oid: commit, entries: await entriesOf(rootOf(commit)) }
      for (const part of path.split('/').filter((name) => name !== '' && name !== '.')) {
        const entry = found.entries?.find(({ name }) => name === part)
        if (entry === undefined) return undefined
        const isDirectory = entry.mode === '40000'
        found = { oid: entry.oid, ...(isDirectory && { entries: await entriesOf(entry.oid) }) }
      }
      return found
    },
  }
}

function rootOf(commit: string): string {
  return `${commit}^{tree}`
}

interface Walk extends Tree {
  readonly entriesOf: (name: string) => Promise<readonly TreeEntry[]>
  readonly wanted: (directory: string) => boolean
  left: number
  readonly files: TreeFile[]
  readonly skipped: SkippedEntry[]
}

const SKIPPED: ReadonlyMap<string, SkippedEntry['code']> = new Map([
  ['120000', 'symlink_skipped'],
  ['160000', 'submodule_skipped'],
])

async function walkDirectory(walk: Walk, name: string, prefix: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw tooLarge(`its directories are nested more than ${MAX_DEPTH} deep`)
  const entries = await walk.entriesOf(name)
  walk.left -= entries.length
  if (walk.left < 0) throw tooLarge(`it has more than ${MAX_ENTRIES} files`)
  for (const entry of entries) {
    const path = `${prefix}${entry.name ?? '\ufffd'}`
    const skipped = entry.name === undefined ? 'path_not_utf8' : SKIPPED.get(entry.mode)
    if (skipped !== undefined) walk.skipped.push({ path, code: skipped })
    else if (entry.mode.startsWith('100')) walk.files.push({ path, oid: entry.oid })
    else if (entry.mode === '40000' && walk.wanted(path)) {
      await walkDirectory(walk, entry.oid, `${path}/`, depth + 1)
    }
  }
}

/** `name` is the id of a tree, or that of a commit with `^{tree}`. */
async function readDirectory(blobs: Blobs, name: string): Promise<readonly TreeEntry[]> {
  const object = await blobs.read(name, MAX_TREE_BYTES)
  if (object?.type !== 'tree') throw damaged()
  if (object.bytes === undefined) throw tooLarge('one of its directories is too long')
  return parseTree(object.bytes, object.oid.length / 2)
}

/** Reads `<mode> <name>\0<id>` …; `idBytes` is 20 or 32. Exported for tests. */
export function parseTree(bytes: Buffer, idBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const end = space < 0 ? -1 : bytes.indexOf(0, space)
    if (end < 0 || end + idBytes >= bytes.length) throw damaged()
    const next = end + 1 + idBytes
    const mode = bytes.toString('latin1', at, space)
    entries.push({
      mode,
      name: nameOf(bytes.subarray(space + 1, end)),
      oid: bytes.toString('hex', end + 1, next),
    })
    at = next
  }
  return entries
}

function nameOf(bytes: Buffer): string | undefined {
  const name = bytes.toString('utf8')
  const isOdd = name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\ufffd')
  return isOdd ? undefined : name
}

function tooLarge(why: string) {
  return refusals.repository_too_large({ why })
}

function damaged() {
  return refusals.directory_missing()
}
